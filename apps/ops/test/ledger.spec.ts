import type { predictionV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { readCommandLine } from '../src/command-line.js';
import type { Command, Report } from '../src/commands/command.js';
import { attributeFunds, reconcileLedger, resumeOrders } from '../src/commands/ledger.js';
import { toJsonText } from '../src/print.js';
import type { Services } from '../src/services.js';

const answer: predictionV1.ReconcileResponse = {
  complete: true,
  atMs: 0n,
  comparisons: [
    {
      subject: 'treasury_usdc',
      ledgerAmount: 1_000_000n,
      externalAmount: 1_500_000n,
      inFlightAmount: 500_000n,
      note: 'explained by moves',
    },
    {
      subject: 'position:A-B',
      ledgerAmount: -150n,
      externalAmount: -100n,
      inFlightAmount: 0n,
      note: 'more than the ledger says',
    },
  ],
  accounts: [{ kind: 'escrow', balanceUsdMicros: -1_000_000n }],
  trialBalanceUsdMicros: 0n,
  openOperations: 3,
  ordersHaltedReason: '',
};

async function reportOf(command: Command, args: string[], ledger: object): Promise<Report> {
  const input = readCommandLine(args, 'ann').inputOf(2);
  return command.run(input, { ledger } as unknown as Services);
}

async function printed(command: Command, args: string[], ledger: object): Promise<string> {
  return (await reportOf(command, args, ledger)).lines.join('\n');
}

describe('ledger reconcile', () => {
  it('prints each figure with what differs, each kind of account, and whether orders are taken', async () => {
    const text = await printed(reconcileLedger, ['ledger', 'reconcile'], { reconcile: async () => answer });
    expect(text).toMatch(/^All compared, 1970/);
    expect(text).toMatch(/treasury_usdc +ledger 1 +external 1.5 +ok +explained by moves/);
    expect(text).toMatch(/position:A-B +ledger -1.5 +external -1 +DIFFERS BY 0.5/);
    expect(text).toMatch(/escrow +-1\n/);
    expect(text).toMatch(/sum +0\n/);
    expect(text).toMatch(/Operations in flight: 3.\nOrders are placed./);
  });

  it('reports the same to programs, in decimal text', async () => {
    const { json } = await reportOf(reconcileLedger, ['ledger', 'reconcile'], { reconcile: async () => answer });
    expect(JSON.parse(toJsonText(json))).toMatchObject({
      complete: true,
      comparisons: [
        { subject: 'treasury_usdc', ledgerAmount: '1', externalAmount: '1.5', inFlightAmount: '0.5', discrepancy: '0' },
        { subject: 'position:A-B', ledgerAmount: '-1.5', externalAmount: '-1', discrepancy: '0.5' },
      ],
      accounts: [{ kind: 'escrow', balanceUsd: '-1' }],
      openOperations: 3,
      ordersHaltedReason: null,
    });
  });

  it('says that orders are halted, and that not all was compared', async () => {
    const troubled = { ...answer, complete: false, ordersHaltedReason: 'treasury differs by -1' };
    const text = await printed(reconcileLedger, ['ledger', 'reconcile'], { reconcile: async () => troubled });
    expect(text).toMatch(/NOT ALL COMPARED[^]*ORDERS ARE HALTED: treasury differs by -1/);
  });
});

it('funds attribute passes on the location, the amount, and the operator', async () => {
  const asked: object[] = [];
  const ledger = {
    attributeFunds: async (request: predictionV1.AttributeFundsRequest) => {
      asked.push(request);
      return { amountUsdMicros: request.amountUsdMicros };
    },
  };
  const args = ['funds', 'attribute', 'treasury', '--reason', 'first money'];
  expect(await printed(attributeFunds, [...args, '--amount', '10000.5'], ledger)).toContain('10000.5 dollars');
  expect(await printed(attributeFunds, args, ledger)).toContain('Nothing is in suspense');
  const same = { location: 'treasury', operator: 'ann', reason: 'first money' };
  expect(asked).toEqual([
    { ...same, amountUsdMicros: 10_000_500_000n },
    { ...same, amountUsdMicros: 0n },
  ]);
});

it('orders resume says whether they were halted', async () => {
  const args = ['orders', 'resume', '--reason', 'looked into'];
  expect(await printed(resumeOrders, args, { resumeOrders: async () => ({ changed: true }) })).toContain('resumed');
  expect(await printed(resumeOrders, args, { resumeOrders: async () => ({ changed: false }) })).toContain('not halted');
});
