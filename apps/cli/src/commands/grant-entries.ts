import type { components } from '@agent-wallet/sdk';
import type { Entries, View } from '../view.js';

/** Returns the lines that say what a scoped token may do. */
export function grantEntries(
  grant: components['schemas']['Wallet']['grant'],
  { usd, time }: Pick<View, 'usd' | 'time'>,
): Entries {
  if (!grant) return [];
  const { maxSingleInUsd, dailyLimitInUsd, totalLimitInUsd, recipients } = grant;
  const within = (limit: number | null, used: number) => (limit === null ? '' : `${usd(used)} of ${usd(limit)}`);
  return [
    ['Scoped token', grant.name],
    ['May', grant.scopes.join(', ')],
    ['Pays', recipients?.join(', ')],
    ['Most in one operation', maxSingleInUsd === null ? '' : usd(maxSingleInUsd)],
    ['Used in 24 hours', within(dailyLimitInUsd, grant.usedTodayUsd)],
    ['Used in all', within(totalLimitInUsd, grant.usedUsd)],
    ['Expires', time(grant.expiresAt)],
  ];
}
