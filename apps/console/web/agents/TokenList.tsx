import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS, useAgentData } from '../api/queries.js';
import type { ScopedToken } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { type Column, DataTable } from '../parts/DataTable.js';
import { Address, ConfirmedButton, Empty, Loaded, Quoted } from '../parts/parts.js';
import { showUsd } from '../parts/show.js';
import { When } from '../parts/When.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.tokens;

/** Lists the scoped tokens of an agent, and ends them. */
export function TokenList({ agentId }: TabProps) {
  const tokens = useAgentData('tokens', agentId);
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">{WORDS.title}</h2>
      <p>{WORDS.text}</p>
      <Loaded query={tokens}>
        {({ tokens: list }) =>
          list.length === 0 ? <Empty title={WORDS.none} /> : <TokenTable agentId={agentId} tokens={list} />
        }
      </Loaded>
    </section>
  );
}

function TokenTable({ agentId, tokens }: { readonly agentId: string; readonly tokens: readonly ScopedToken[] }) {
  const columns: readonly Column<ScopedToken>[] = [
    { name: WORDS.name, cell: ({ name }) => <Quoted text={name} /> },
    { name: WORDS.scopes, cell: (token) => <Abilities token={token} /> },
    { name: WORDS.used, cell: (token) => <Limits token={token} /> },
    { name: WORDS.expires, cell: ({ expiresAt }) => <When time={expiresAt} /> },
    { name: WORDS.ends, cell: (token) => <EndButton agentId={agentId} token={token} /> },
  ];
  return <DataTable label={WORDS.title} columns={columns} rows={tokens} keyOf={({ id }) => id} />;
}

interface TokenProps {
  readonly token: ScopedToken;
}

function Abilities({ token: { scopes, recipients } }: TokenProps) {
  return (
    <>
      {scopes.map((scope) => WORDS.scope[scope]).join(', ')}
      {recipients && (
        <details>
          <summary>{WORDS.payees(recipients.length)}</summary>
          <ul className="plain">
            {recipients.map((address) => (
              <li key={address}>
                <Address address={address} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Shows what a token has used of each limit that it has. */
function Limits({ token }: TokenProps) {
  const { maxSingleInUsd, dailyLimitInUsd, totalLimitInUsd, usedTodayUsd, usedUsd } = token;
  return (
    <ul className="plain">
      {maxSingleInUsd !== null && <li>{WORDS.single(showUsd(maxSingleInUsd))}</li>}
      <Used name={WORDS.usedToday} usd={usedTodayUsd} limitUsd={dailyLimitInUsd} />
      {totalLimitInUsd !== null && <Used name={WORDS.usedTotal} usd={usedUsd} limitUsd={totalLimitInUsd} />}
    </ul>
  );
}

interface UsedProps {
  readonly name: string;
  readonly usd: number;
  /** Null: the policy's limit alone. */
  readonly limitUsd: number | null;
}

function Used({ name, usd, limitUsd }: UsedProps) {
  const words = limitUsd === null ? showUsd(usd) : TEXTS.agent.usageOf(showUsd(usd), showUsd(limitUsd));
  return (
    <li>
      <span>
        {words} <small>{name}</small>
      </span>
      {limitUsd !== null && <meter aria-label={name} min={0} max={limitUsd || 1} value={usd} />}
    </li>
  );
}

function EndButton({
  agentId,
  token: { id: tokenId, name },
}: {
  readonly agentId: string;
  readonly token: ScopedToken;
}) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => {
      const params = { path: { agentId, tokenId } };
      return dataOf(api.DELETE('/owner/agents/{agentId}/tokens/{tokenId}', { params, body: {} }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEYS.agent(agentId) });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
    },
  });
  const asked = { title: WORDS.endTitle, text: WORDS.endText, yes: WORDS.end };
  return <ConfirmedButton kind="quiet" label={WORDS.end} name={`${WORDS.end} ${name}`} action={end} {...asked} />;
}
