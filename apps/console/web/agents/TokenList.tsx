import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS, useAgentData } from '../api/queries.js';
import type { ScopedToken } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { Address, ConfirmedButton, Empty, Loaded, Quoted, Term } from '../parts/parts.js';
import { showTime, showUsd } from '../parts/show.js';
import { tokenLimits } from '../parts/token-limits.js';
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
          list.length === 0 ? (
            <Empty title={WORDS.none} />
          ) : (
            <ul className="cards">
              {list.map((token) => (
                <TokenCard key={token.id} agentId={agentId} token={token} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function TokenCard({ agentId, token }: { readonly agentId: string; readonly token: ScopedToken }) {
  const { name, scopes, recipients, usedTodayUsd, expiresAt } = token;
  return (
    <li className="card">
      <h3>
        <Quoted text={name} />
      </h3>
      <dl className="terms">
        <Term name={WORDS.scopes}>{scopes.map((scope) => WORDS.scope[scope]).join(', ')}</Term>
        <Term name={WORDS.limits}>
          <ul className="plain">
            {limitsOf(token).map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </Term>
        {recipients && (
          <Term name={WORDS.recipients}>
            <ul className="plain">
              {recipients.map((address) => (
                <li key={address}>
                  <Address address={address} />
                </li>
              ))}
            </ul>
          </Term>
        )}
        <Term name={WORDS.usedToday}>{showUsd(usedTodayUsd)}</Term>
        <Term name={WORDS.expires}>{showTime(expiresAt)}</Term>
      </dl>
      <EndButton agentId={agentId} token={token} />
    </li>
  );
}

/** Returns the limits of a token in words. */
function limitsOf({ maxSingleInUsd, dailyLimitInUsd, totalLimitInUsd }: ScopedToken): string[] {
  const shown = (limit: number | null) => (limit === null ? undefined : showUsd(limit));
  return tokenLimits({ single: shown(maxSingleInUsd), daily: shown(dailyLimitInUsd), total: shown(totalLimitInUsd) });
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
  return <ConfirmedButton kind="danger" label={WORDS.end} name={`${WORDS.end} ${name}`} action={end} {...asked} />;
}
