import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS, useOwner, useOwnerSessions } from '../api/queries.js';
import type { OwnerSession } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { ConfirmedButton, ErrorNotice, Loaded, Term, useTitle } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { mayEnd, passkeyNumber } from './owner-sessions.js';

const WORDS = TEXTS.ownerSessions;

/** Lists the browsers in which the owner is logged in, and ends their sessions. */
export default function OwnerSessionsPage() {
  useTitle(WORDS.title);
  const sessions = useOwnerSessions();
  return (
    <section className="narrow">
      <h1>{WORDS.title}</h1>
      <p>{WORDS.text}</p>
      <Loaded query={sessions}>{({ sessions: list }) => <Sessions sessions={list} />}</Loaded>
    </section>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly OwnerSession[] }) {
  const current = sessions.find((session) => session.current);
  const endable = sessions.filter((session) => mayEnd(current, session));
  const isBarred = endable.length < sessions.length - 1;
  return (
    <>
      {endable.length > 0 && <EndOthers />}
      {isBarred && <p className="notice">{WORDS.onlyMail}</p>}
      <ul className="cards">
        {sessions.map((session) => (
          <SessionCard key={session.id} session={session} isEndable={endable.includes(session)} />
        ))}
      </ul>
    </>
  );
}

function SessionCard({ session, isEndable }: { readonly session: OwnerSession; readonly isEndable: boolean }) {
  const { data: owner } = useOwner();
  const { id, current, passkeyId, createdAt, lastUsedAt, expiresAt, network } = session;
  const number = passkeyNumber(owner?.passkeys ?? [], passkeyId);
  const passkey = number === undefined ? WORDS.aPasskey : TEXTS.passkeys.name(number);
  return (
    <li className="card">
      {current && <span className="tag">{WORDS.current}</span>}
      <dl className="terms">
        <Term name={WORDS.how}>{passkeyId === null ? WORDS.byMail : WORDS.byPasskey(passkey)}</Term>
        <Term name={WORDS.since}>{showTime(createdAt)}</Term>
        <Term name={TEXTS.sessions.used}>{showTime(lastUsedAt)}</Term>
        <Term name={TEXTS.sessions.expires}>{showTime(expiresAt)}</Term>
        <Term name={TEXTS.sessions.network}>{network}</Term>
      </dl>
      {isEndable && <EndOne sessionId={id} />}
    </li>
  );
}

function EndOne({ sessionId }: { readonly sessionId: string }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => dataOf(api.DELETE('/owner/sessions/{sessionId}', { params: { path: { sessionId } }, body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.ownerSessions }),
  });
  return (
    <>
      {end.isError && <ErrorNotice error={end.error} />}
      <button type="button" className="quiet" disabled={end.isPending} onClick={() => end.mutate()}>
        {WORDS.endOne}
      </button>
    </>
  );
}

function EndOthers() {
  const { api } = useConsole();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => dataOf(api.POST('/owner/sessions/end-others', { body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.ownerSessions }),
  });
  const asked = { title: WORDS.endTitle, text: WORDS.endText, yes: WORDS.endOthers };
  return (
    <>
      <ConfirmedButton kind="danger" label={WORDS.endOthers} action={end} {...asked} />
      <p aria-live="polite">{end.data && WORDS.ended(end.data.ended)}</p>
    </>
  );
}
