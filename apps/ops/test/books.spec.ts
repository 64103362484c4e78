import type { predictionV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { attributeFunds, compareBooks, resumeOrders } from '../src/commands/books.js';
import type { Command } from '../src/commands/command.js';
import { readOrder } from '../src/command-line.js';
import type { Services } from '../src/services.js';

const answer: predictionV1.ReconcileResponse = {
  complete: true,
  atMs: 0n,
  comparisons: [
    { what: 'treasury_usdc', booked: 1_000_000n, actual: 1_500_000n, explained: 500_000n, note: 'explained by moves' },
    { what: 'position:A-B', booked: -150n, actual: -100n, explained: 0n, note: 'more than the books say' },
  ],
  accounts: [{ kind: 'escrow', balanceUsdMicros: -1_000_000n, accounts: 2 }],
  trialBalanceUsdMicros: 0n,
  openOperations: 3,
  ordersStoppedBecause: '',
};

async function printed(command: Command, args: string[], books: object): Promise<string> {
  const order = readOrder(args, 'ann');
  if (order === 'help') throw new TypeError('it is an order');
  const lines: string[] = [];
  await command.run(order, { books } as unknown as Services, (line) => lines.push(line));
  return lines.join('\n');
}

describe('reconcile books', () => {
  it('prints each figure with what differs, each kind of account, and whether orders are taken', async () => {
    const text = await printed(compareBooks, ['reconcile'], { reconcile: async () => answer });
    expect(text).toMatch(/all compared, 1970/);
    expect(text).toMatch(/treasury_usdc +books 1 +outside 1.5 +ok +explained by moves/);
    expect(text).toMatch(/position:A-B +books -1.5 +outside -1 +DIFFERS BY 0.5/);
    expect(text).toMatch(/escrow +-1 +2 in use/);
    expect(text).toMatch(/sum +0\n/);
    expect(text).toMatch(/3 operations on their way\norders are taken/);
  });

  it('says that orders are stopped, and that not all was compared', async () => {
    const troubled = { ...answer, complete: false, ordersStoppedBecause: 'treasury differs by -1' };
    const text = await printed(compareBooks, ['reconcile'], { reconcile: async () => troubled });
    expect(text).toMatch(/NOT ALL COMPARED[^]*ORDERS ARE STOPPED: treasury differs by -1/);
  });
});

it('attribute-funds hands on the place, the amount, and who says so', async () => {
  const asked: object[] = [];
  const books = {
    attributeFunds: async (request: predictionV1.AttributeFundsRequest) => {
      asked.push(request);
      return { amountUsdMicros: request.amountUsdMicros };
    },
  };
  const args = ['attribute-funds', 'treasury', '--reason', 'first money'];
  expect(await printed(attributeFunds, [...args, '--amount', '10000.5'], books)).toContain('10000.5 dollars');
  expect(await printed(attributeFunds, args, books)).toContain('nothing is in suspense');
  const same = { place: 'treasury', operator: 'ann', reason: 'first money' };
  expect(asked).toEqual([
    { ...same, amountUsdMicros: 10_000_500_000n },
    { ...same, amountUsdMicros: 0n },
  ]);
});

it('resume-orders says whether they were stopped', async () => {
  const args = ['resume-orders', '--reason', 'looked into'];
  expect(await printed(resumeOrders, args, { resumeOrders: async () => ({ changed: true }) })).toContain('again');
  expect(await printed(resumeOrders, args, { resumeOrders: async () => ({ changed: false }) })).toContain(
    'not stopped',
  );
});
