import { lazy, Suspense } from 'react';
import type { Balances } from '../api/records.js';
import { useAgentData } from '../api/queries.js';
import { Address, Empty, Loaded, Skeleton } from '../parts/parts.js';
import { showAmount, showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { TabProps } from './tab.js';
import { FaucetButton } from './FaucetButton.js';

const WORDS = TEXTS.agent;
const UsagePanel = lazy(() => import('../usage/UsagePanel.js'));

/** Shows what an agent has, and what it has used of its day. */
export function OverviewTab({ agentId }: TabProps) {
  const balances = useAgentData('balances', agentId);
  return (
    <div className="columns">
      <section className="card" aria-labelledby="balances">
        <h2 id="balances">{WORDS.balances}</h2>
        <Loaded query={balances} lines={5}>
          {(data) => (
            <>
              <BalanceTable balances={data} />
              <h3>{WORDS.address}</h3>
              <p>
                <Address address={data.chainAddress} />
              </p>
              <FaucetButton agentId={agentId} address={data.chainAddress} />
            </>
          )}
        </Loaded>
      </section>
      <section className="card" aria-labelledby="usage">
        <h2 id="usage">{WORDS.usage}</h2>
        <Suspense fallback={<Skeleton lines={5} />}>
          <UsagePanel agentId={agentId} />
        </Suspense>
      </section>
    </div>
  );
}

function BalanceTable({ balances: { sol, tokens, totalUsdValue } }: { readonly balances: Balances }) {
  const rows = [{ ...sol, symbol: 'SOL', mint: 'native' }, ...tokens];
  return (
    <>
      <p className="big">{showUsd(totalUsdValue)}</p>
      {rows.every(({ amountRaw }) => amountRaw === '0') ? (
        <Empty title={WORDS.noTokens} />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{WORDS.token}</th>
              <th scope="col">{WORDS.amount}</th>
              <th scope="col">{WORDS.value}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ mint, symbol, balance, usdValue }) => (
              <tr key={mint}>
                <th scope="row">
                  <bdi>{symbol}</bdi>
                </th>
                <td>{showAmount(balance)}</td>
                <td>{usdValue === null ? TEXTS.unknownValue : showUsd(usdValue)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
