import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS, useOwner, useOwnerSessions } from '../api/queries.js';
import type { OwnerSession } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { type Column, DataTable } from '../parts/DataTable.js';
import { ConfirmedButton, ErrorNotice, Loaded, useTitle } from '../parts/parts.js';
import { When } from '../parts/When.js';
import { TEXTS } from '../texts.js';
import { mayEnd, passkeyNumber } from './owner-sessions.js';

const WORDS = TEXTS.ownerSessions;

/** Lists the browsers in which the owner is logged in, and ends their sessions. */
export default function OwnerSessionsPage() {
  useTitle(WORDS.title);
  const sessions = useOwnerSessions();
  return (
    <section>
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
      <SessionTable sessions={sessions} endable={endable} />
    </>
  );
}

function SessionTable({ sessions, endable }: Record<'sessions' | 'endable', readonly OwnerSession[]>) {
  const columns: readonly Column<OwnerSession>[] = [
    { name: WORDS.how, cell: (session) => <HowLoggedIn session={session} /> },
    { name: WORDS.since, cell: ({ createdAt }) => <When time={createdAt} /> },
    { name: TEXTS.sessions.used, cell: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
    { name: TEXTS.sessions.expires, cell: ({ expiresAt }) => <When time={expiresAt} /> },
    { name: TEXTS.sessions.network, cell: ({ network }) => network },
    { name: WORDS.end, cell: (session) => endable.includes(session) && <EndOne sessionId={session.id} /> },
  ];
  return <DataTable label={WORDS.title} columns={columns} rows={sessions} keyOf={({ id }) => id} />;
}

function HowLoggedIn({ session: { passkeyId, current } }: { readonly session: OwnerSession }) {
  const { data: owner } = useOwner();
  const number = passkeyNumber(owner?.passkeys ?? [], passkeyId);
  const passkey = number === undefined ? WORDS.aPasskey : TEXTS.passkeys.name(number);
  return (
    <>
      {passkeyId === null ? WORDS.byMail : WORDS.byPasskey(passkey)}{' '}
      {current && <span className="tag">{WORDS.current}</span>}
    </>
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
