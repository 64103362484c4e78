import type { predictionV1 } from '@agent-wallet/contracts';
import type { Findings } from '../application/reconciliation/reconcile-ledger.js';
import { unexplainedOf } from '../domain/ledger/compare.js';
import { isMoney } from '../domain/ledger/line.js';

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
    comparisons: comparisons.map((comparison) => ({ ...comparison, note: noteOf(comparison) })),
    accounts: money,
    trialBalanceUsdMicros: money.reduce((sum, { balanceUsdMicros }) => sum + balanceUsdMicros, 0n),
    openOperations: picture.openOperations,
    ordersHaltedReason: picture.ordersHaltedReason ?? '',
  };
}

function noteOf(comparison: Findings['comparisons'][number]): string {
  const unexplained = unexplainedOf(comparison);
  if (unexplained === 0n) return comparison.note;
  const text = unexplained > 0n ? 'more than the ledger says' : 'less than the ledger says';
  return [comparison.note, text].filter(Boolean).join('; ');
}
