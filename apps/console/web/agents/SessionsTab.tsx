import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import type { Session } from '../api/records.js';
import { KEYS, useAgentData } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ConfirmedButton, Empty, Loaded, Term } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';
import { TokenList } from './TokenList.js';

const WORDS = TEXTS.sessions;

/** Lists the sessions and the scoped tokens of an agent, and ends them. */
export function SessionsTab({ agentId }: TabProps) {
  const sessions = useAgentData('sessions', agentId);
  return (
    <>
      <section aria-labelledby="sessions">
        <h2 id="sessions">{WORDS.title}</h2>
        <p>{WORDS.text}</p>
        <EndSessions agentId={agentId} />
        <Loaded query={sessions}>
          {({ sessions: list }) => (list.length === 0 ? <Empty title={WORDS.none} /> : <SessionList sessions={list} />)}
        </Loaded>
      </section>
      <TokenList agentId={agentId} />
    </>
  );
}

function EndSessions({ agentId }: TabProps) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => dataOf(api.POST('/owner/agents/{agentId}/evict', { params: { path: { agentId } }, body: {} })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEYS.agent(agentId) });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
    },
  });
  const asked = { title: WORDS.endTitle, text: WORDS.endText, yes: WORDS.end };
  return (
    <>
      <ConfirmedButton kind="danger" label={WORDS.end} action={end} {...asked} />
      <p aria-live="polite">{end.data && WORDS.ended(end.data.ended)}</p>
    </>
  );
}

function SessionList({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <ul className="cards">
      {sessions.map(({ id, authenticatedAt, lastUsedAt, expiresAt, network }) => (
        <li key={id} className="card">
          <dl className="terms">
            <Term name={WORDS.login}>{showTime(authenticatedAt)}</Term>
            <Term name={WORDS.used}>{lastUsedAt === null ? WORDS.never : showTime(lastUsedAt)}</Term>
            <Term name={WORDS.expires}>{showTime(expiresAt)}</Term>
            <Term name={WORDS.network}>{network ?? WORDS.unknown}</Term>
          </dl>
        </li>
      ))}
    </ul>
  );
}
