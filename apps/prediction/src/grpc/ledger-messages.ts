import type { predictionV1 } from '@agent-wallet/contracts';
import type { Findings } from '../application/reconciliation/reconcile-ledger.js';
import { unexplainedOf } from '../domain/ledger/compare.js';
import { isMoney } from '../domain/ledger/line.js';

/** The account may hold contracts of any number of markets. */
const MAX_COMPARISONS = 1_000;

/** Returns the findings of a comparison as ReconcileResponse. */
export function toReconcileResponse({
  complete,
  atMs,
  comparisons,
  picture,
}: Findings): predictionV1.ReconcileResponse {
  const money = picture.accounts.filter(({ kind }) => isMoney(kind));
  return {
    complete,
    atMs: BigInt(atMs),
    comparisons: unexplainedFirst(comparisons).map((comparison) => ({ ...comparison, note: noteOf(comparison) })),
    accounts: money,
    trialBalanceUsdMicros: money.reduce((sum, { balanceUsdMicros }) => sum + balanceUsdMicros, 0n),
    openOperations: picture.openOperations,
    ordersHaltedReason: picture.ordersHaltedReason ?? '',
  };
}

function unexplainedFirst(comparisons: Findings['comparisons']): Findings['comparisons'] {
  const rank = (comparison: Findings['comparisons'][number]) => (unexplainedOf(comparison) === 0n ? 1 : 0);
  return [...comparisons].sort((one, other) => rank(one) - rank(other)).slice(0, MAX_COMPARISONS);
}

function noteOf(comparison: Findings['comparisons'][number]): string {
  const unexplained = unexplainedOf(comparison);
  if (unexplained === 0n) return comparison.note;
  const text = unexplained > 0n ? 'more than the ledger says' : 'less than the ledger says';
  return [comparison.note, text].filter(Boolean).join('; ');
}
