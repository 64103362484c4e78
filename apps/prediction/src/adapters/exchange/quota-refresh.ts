import { endpointCostsResponse, limitsResponse } from '@agent-wallet/kalshi';
import { type BackgroundLoop, type Logger, startLoop } from '@agent-wallet/platform';
import type { EndpointCosts } from './endpoint-costs.js';
import type { KalshiReader } from './kalshi-reader.js';
import type { PostgresExchangeQuota } from './postgres-exchange-quota.js';

/** Dependencies of the quota refresh. */
interface QuotaRefreshDependencies {
  readonly reader: Pick<KalshiReader, 'ask'>;
  readonly quota: Pick<PostgresExchangeQuota, 'resize'>;
  readonly costs: EndpointCosts;
  readonly logger: Logger;
}

/** A tier changes with the volume of a month, at the exchange's pleasure. */
const EVERY_MS = 5 * 60_000;

/** Asks the exchange at once, and every few minutes, how often it may be asked and what that costs. */
export function startQuotaRefresh(dependencies: QuotaRefreshDependencies): BackgroundLoop {
  const { logger } = dependencies;
  const round = async () => {
    // Until it answers, what was known last is good enough, and the lowest tier at first.
    await refreshQuota(dependencies).catch((err: unknown) =>
      logger.warn({ event: 'exchange_quota.refresh_failed', err }, 'Exchange quota not refreshed; the last one stays'),
    );
    return false;
  };
  return startLoop({ name: 'exchange-quota', logger, idleMs: EVERY_MS, round });
}

/** @throws AppError when the exchange cannot be asked */
export async function refreshQuota({ reader, quota, costs }: QuotaRefreshDependencies): Promise<void> {
  const question = { isSigned: true, lane: 'operations' } as const;
  const limits = await reader.ask({ ...question, path: '/account/limits', shape: limitsResponse });
  await quota.resize('read', limits.read);
  await quota.resize('write', limits.write);
  const found = await reader.ask({ ...question, path: '/account/endpoint_costs', shape: endpointCostsResponse });
  costs.replace(found.defaultCost, found.costs);
}
