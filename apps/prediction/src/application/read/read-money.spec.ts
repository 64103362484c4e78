import { describe, expect, it } from '@jest/globals';
import { AppError, newId } from '@agent-wallet/kernel';
import type { MarketRecord } from '@agent-wallet/kalshi';
import type { LedgerPosition } from '../../ports/ledger-store.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import { ReadMoney } from './read-money.js';

const held = (ticker: string, over: Partial<LedgerPosition> = {}): LedgerPosition => ({
  ticker,
  eventTicker: 'E',
  side: 'yes',
  quantity: 100n,
  lockedCount: 0n,
  costUsdMicros: 1n,
  settlement: undefined,
  ...over,
});
const priced = (ticker: string) =>
  ({ ticker, yesBidUsdMicros: 600_000n, noBidUsdMicros: undefined }) as unknown as MarketRecord;

/** An agent's positions as they are read, and what the catalog was asked. */
async function read(positions: readonly LedgerPosition[], isDown: (tickers: readonly string[]) => boolean) {
  const asked: Array<readonly string[]> = [];
  const policies = { getPolicy: async () => ({ policy: { allowPredictionMarkets: true } }) } as unknown as PolicySwitch;
  const money = new ReadMoney({
    policies,
    ledger: {
      positionsOf: async () => ({ positions, openCount: positions.length, settledCount: 0 }),
      balanceOf: () => Promise.reject(new Error('not asked')),
      ordersOf: () => Promise.reject(new Error('not asked')),
    },
    catalog: {
      marketsNamed: async (tickers) => {
        asked.push(tickers);
        if (isDown(tickers)) throw new AppError('SERVICE_UNAVAILABLE');
        return tickers.filter((ticker) => ticker !== 'GONE').map(priced);
      },
    },
  });
  const found = await money.positions(newId(), undefined);
  return { asked, prices: found.positions.map(({ currentPriceUsdMicros }) => currentPriceUsdMicros) };
}

describe('positions', () => {
  it('are shown with the current bid, if there is one, and without one once settled', async () => {
    const settlement = { result: 'won', payoutUsdMicros: 1n } as const;
    const positions = [held('A'), held('A', { side: 'no' }), held('GONE'), held('DONE', { settlement })];
    const { asked, prices } = await read(positions, () => false);
    expect(prices).toEqual([600_000n, undefined, undefined, undefined]);
    expect(asked).toEqual([['A', 'GONE']]);
  });

  it('however many cost the exchange a few calls, and are shown without a price rather than not at all', async () => {
    const many = Array.from({ length: 1_150 }, (_, i) => held(`M${String(i).padStart(4, '0')}`));
    const { asked, prices } = await read(many, (tickers) => tickers.includes('M0000'));
    expect(asked).toHaveLength(10);
    expect(prices).toHaveLength(1_150);
    expect(prices.filter((price) => price === undefined)).toHaveLength(100 + 150);
  });

  it('need no request when there are none', async () => {
    expect((await read([], () => true)).asked).toEqual([]);
  });
});
