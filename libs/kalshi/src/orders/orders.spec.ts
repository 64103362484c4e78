import { describe, expect, it } from '@jest/globals';
import { orderbookResponse } from '../api/orderbook.js';
import { asksFor } from './book.js';
import { toBookOrder } from './side.js';

describe('a trade on the one book of yes', () => {
  it.each([
    ['buy', 'yes', { side: 'bid', priceUsdMicros: 300_000n }],
    ['sell', 'yes', { side: 'ask', priceUsdMicros: 300_000n }],
    ['buy', 'no', { side: 'ask', priceUsdMicros: 700_000n }],
    ['sell', 'no', { side: 'bid', priceUsdMicros: 700_000n }],
  ] as const)('%s %s at 30 cents', (action, side, order) => {
    expect(toBookOrder({ action, side, priceUsdMicros: 300_000n })).toEqual(order);
  });
});

describe('a book', () => {
  it('has the best first, however the exchange orders it, and asks from the other side', () => {
    const book = orderbookResponse.parse({
      orderbook_fp: {
        yes_dollars: [
          ['0.4000', '5.00'],
          ['0.4200', '1.50'],
          ['0.4100', '0.00'],
          ['1.0000', '9.00'],
        ],
        no_dollars: null,
      },
    });
    expect(book).toEqual({
      yesBids: [
        { priceUsdMicros: 420_000n, count: 150n },
        { priceUsdMicros: 400_000n, count: 500n },
      ],
      noBids: [],
    });
    expect(asksFor(book, 'no')).toEqual([
      { priceUsdMicros: 580_000n, count: 150n },
      { priceUsdMicros: 600_000n, count: 500n },
    ]);
    expect(asksFor(book, 'yes')).toEqual([]);
  });
});
