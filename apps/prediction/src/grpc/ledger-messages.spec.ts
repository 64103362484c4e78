import { expect, it } from '@jest/globals';
import type { Comparison } from '../domain/ledger/compare.js';
import { toReconcileResponse } from './ledger-messages.js';

const comparison = (subject: string, externalAmount: bigint): Comparison => ({
  ...{ subject, externalAmount, ledgerAmount: 5n, inFlightAmount: 0n, note: '' },
});

it('a comparison of 1,501 figures returns 1,000, those without an explanation first', () => {
  const equal = Array.from({ length: 1_500 }, (_, i) => comparison(`position:${i}`, 5n));
  const picture = { accounts: [], openOperations: 0, ordersHaltedReason: undefined };
  const findings = { complete: true, atMs: 0, comparisons: [...equal, comparison('position:WRONG', 4n)], picture };
  const { comparisons } = toReconcileResponse(findings as never);
  expect(comparisons).toHaveLength(1_000);
  expect(comparisons.slice(0, 3).map(({ subject }) => subject)).toEqual(['position:WRONG', 'position:0', 'position:1']);
});
