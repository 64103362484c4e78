import { describe, expect, it } from '@jest/globals';
import { postSettlement, type Holding, type MarketOutcome } from './post-settlement.js';
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

describe('the entry of a settlement', () => {
  it('has no line for what the fills were charged', () => {
    const paid = { revenueUsdMicros: 1_000_000n, tradingFeesUsdMicros: 17_500n };
    const entry = postSettlement({ ...OUTCOME, paid }, [holding('yes', 100n)])!;
    expect(entry.lines.map(({ kind }) => kind)).not.toContain('exchange_costs');
    expect(entry.lines.find(({ kind }) => kind === 'exchange_cash')?.amount).toBe(1_000_000n);
  });

  it('has room for a hundred thousand holdings', () => {
    const holdings = Array.from({ length: 100_000 }, (_, i) => holding(i % 2 === 0 ? 'yes' : 'no', 100n));
    const entry = postSettlement(OUTCOME, holdings)!;
    expect(entry.settled).toHaveLength(100_000);
    expect(entry.lines.length).toBeGreaterThan(300_000);
    const money = entry.lines.filter(({ kind }) => isMoney(kind)).reduce((sum, { amount }) => sum + amount, 0n);
    expect(money).toBe(0n);
  });
});
