import { describe, expect, it } from '@jest/globals';
import { beginSettlement, type Holding, type MarketOutcome, payHoldings } from './post-settlement.js';
import { isMoney } from './line.js';

const AGENT = '0197f000-0000-7000-8000-000000000000';
const OUTCOME: MarketOutcome = {
  ticker: 'A',
  result: 'yes',
  yesValueUsdMicros: 1_000_000n,
  paid: { revenueUsdMicros: 0n, tradingFeesUsdMicros: 0n },
};

const holding = (side: 'yes' | 'no', quantity: bigint): Holding => ({
  agentId: AGENT,
  side,
  quantity,
  costUsdMicros: quantity * 5_000n,
});

describe('the entry that begins a settlement', () => {
  it('has no line for what the fills were charged', () => {
    const paid = { revenueUsdMicros: 1_000_000n, tradingFeesUsdMicros: 17_500n };
    const { lines } = beginSettlement({ ...OUTCOME, paid }, { yes: 100n, no: 0n })!;
    expect(lines.map(({ kind }) => kind)).not.toContain('exchange_costs');
    expect(lines.find(({ kind }) => kind === 'exchange_cash')?.amount).toBe(1_000_000n);
  });
});

describe('payments of a settlement', () => {
  it.each([0n, 1n, 333_333n, 500_001n, 999_999n, 1_000_000n])(
    'are never more than is due, and post what is left, at a value of %s',
    (yesValueUsdMicros) => {
      const holdings = [7n, 13n, 101n, 999n].flatMap((count) => [holding('yes', count), holding('no', count + 3n)]);
      const held = { yes: 1_120n, no: 1_132n };
      const outcome = { ...OUTCOME, result: 'scalar', yesValueUsdMicros } as const;
      const begun = beginSettlement(outcome, held)!;
      const due = -begun.lines.find(({ kind }) => kind === 'settlement_due')!.amount;
      const { lines, settled } = payHoldings(outcome, holdings, due);
      const paid = settled.reduce((sum, { payoutUsdMicros }) => sum + payoutUsdMicros, 0n);
      expect(paid).toBeLessThanOrEqual(due);
      expect(due - paid).toBeLessThan(BigInt(holdings.length));
      const all = [...begun.lines, ...lines];
      const sum = (kind: string) => all.reduce((total, each) => total + (each.kind === kind ? each.amount : 0n), 0n);
      expect([sum('settlement_due'), sum('settling')]).toEqual([0n, 0n]);
      expect(all.filter(({ kind }) => isMoney(kind)).reduce((total, { amount }) => total + amount, 0n)).toBe(0n);
    },
  );
});
