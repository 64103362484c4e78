import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import type { Session } from '../api/records.js';
import { KEYS, useAgentData } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { type Column, DataTable } from '../parts/DataTable.js';
import { ConfirmedButton, Empty, Loaded } from '../parts/parts.js';
import { When } from '../parts/When.js';
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

const COLUMNS: readonly Column<Session>[] = [
  { name: WORDS.login, cell: ({ authenticatedAt }) => <When time={authenticatedAt} /> },
  { name: WORDS.used, cell: ({ lastUsedAt }) => (lastUsedAt === null ? WORDS.never : <When time={lastUsedAt} />) },
  { name: WORDS.expires, cell: ({ expiresAt }) => <When time={expiresAt} /> },
  { name: WORDS.network, cell: ({ network }) => network ?? WORDS.unknown },
];

function SessionList({ sessions }: { readonly sessions: readonly Session[] }) {
  return <DataTable label={WORDS.title} columns={COLUMNS} rows={sessions} keyOf={({ id }) => id} />;
}
