import { newId } from '@agent-wallet/kernel';
import { walletV1 } from '@agent-wallet/contracts';
import { casesOf, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentClient, callJson, type Envelope, type HistoryRecord } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { crashAndReturn } from './harness/leases.js';
import { impersonate } from './harness/impostor.js';
import { depositsOf, usageOf, usedWhenQuiet } from './harness/spending.js';
import { moveOf } from './harness/targets.js';

// Moves of USDC between agents and the treasury, asked for with the certificate of the prediction service.

const { OPERATION_STATE_CONFIRMED: CONFIRMED } = walletV1.OperationState;
const RENT = 2_039_280n;
const FEE = 5_000n;

let deployment: Deployment;
let wallet: Awaited<ReturnType<typeof impersonate<'wallet'>>>;
let treasury: string;

// On this chain a transaction lives for a minute, so that none expires on a busy machine.
beforeAll(async () => {
  deployment = await shareDeployment();
  wallet = await impersonate(deployment, 'prediction', 'wallet');
  treasury = (await wallet.getTreasury({})).address;
});
afterEach(() => deployment.sandbox.disarm());
afterAll(() => wallet?.close());

type Step = Partial<Omit<walletV1.MoveRequest, 'agentId' | 'move'>>;

function agentIdOf({ token }: AgentClient): string {
  return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;
}

function moving(agent: AgentClient, $case: 'escrow' | 'payout', amount: bigint, step: Step = {}) {
  const name = { operationId: newId(), step: 1, attempt: 1, waitMs: 30_000, cancelIfNotStarted: false, ...step };
  return { ...name, agentId: agentIdOf(agent), move: moveOf($case, amount) };
}

const move = (...args: Parameters<typeof moving>) => wallet.move(moving(...args), { deadlineMs: 40_000 });

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'OK',
    ({ code }: { code?: string }) => code,
  );

const holds = (address: string) =>
  Promise.all(['USDC', 'SOL'].map((token) => deployment.sandbox.balanceRaw(address, token)));

async function since([usdc, lamports]: readonly bigint[]): Promise<readonly bigint[]> {
  const [nowUsdc, nowLamports] = await holds(treasury);
  return [nowUsdc! - usdc!, nowLamports! - lamports!];
}

async function actionsOf({ baseUrl, token }: AgentClient): Promise<readonly string[]> {
  const { body } = await callJson<Envelope<{ transactions: readonly HistoryRecord[] }>>(
    `${baseUrl}/wallets/me/history?limit=100`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  return body.data.transactions.map(({ action }) => action);
}

describe('an escrow and what comes back of it', () => {
  it('counts to the daily limit with what stayed, and leaves no trace of its own in history', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const before = await holds(treasury);
    const operationId = newId();
    const escrow = await move(agent, 'escrow', 60_000_000n, { operationId });
    expect(escrow).toMatchObject({ state: CONFIRMED, amount: 60_000_000n, signature: expect.stringMatching(/.{80}/) });
    expect(await since(before)).toEqual([60_000_000n, 0n]);
    const { used, reserved } = await usageOf(agent);
    expect(used + reserved).toBe(60_000_000n);
    await move(agent, 'payout', 25_500_000n, { operationId, step: 3 });
    expect(await since(before)).toEqual([34_500_000n, -FEE]);
    expect(await holds(agent.address)).toEqual([65_500_000n, 1_000_000_000n - FEE]);
    await eventually(
      () => usageOf(agent),
      (usage) => usage.reserved === 0n && usage.used === 34_500_000n,
      60_000,
    );
    // What the faucet gave is shown; what the treasury paid is not.
    await eventually(
      () => depositsOf(agent),
      (found) => found.length === 2,
    );
    expect(new Set(await actionsOf(agent))).toEqual(new Set(['deposit']));
  });

  it('never brings back more than was in escrow', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const operationId = newId();
    await move(agent, 'escrow', 10_000_000n, { operationId });
    const more = move(agent, 'payout', 10_000_001n, { operationId, step: 3 });
    await expect(more).rejects.toMatchObject({ data: { outcome: 'failed' } });
    expect((await holds(agent.address))[0]).toBe(90_000_000n);
  });

  it('is refused while the switch is off, and over the limits; a payout is not', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    await agent.patchPolicy({ allowPredictionMarkets: false });
    const rule = (name: string) => ({ code: 'POLICY_VIOLATION', data: { rule: name, outcome: 'rejected' } });
    await expect(move(agent, 'escrow', 1n)).rejects.toMatchObject(rule('prediction_markets_disabled'));
    expect((await move(agent, 'payout', 1n)).state).toBe(CONFIRMED);
    await agent.patchPolicy({ allowPredictionMarkets: true, maxSingleTransactionInUsd: 50 });
    await expect(move(agent, 'escrow', 50_000_001n)).rejects.toMatchObject(rule('single_transaction_limit'));
    expect((await move(agent, 'escrow', 50_000_000n)).state).toBe(CONFIRMED);
    expect(await usedWhenQuiet(agent)).toBe(50_000_000n);
  });

  it('of an agent without SOL is paid for by the sponsor', async () => {
    const agent = await deployment.agent({ USDC: 10 });
    await move(agent, 'escrow', 10_000_000n);
    expect(await holds(agent.address)).toEqual([0n, 0n]);
  });
});

describe('a payout', () => {
  it("of no escrow makes the account of an agent that has none, at the treasury's expense", async () => {
    const agent = await deployment.agent({});
    const before = await holds(treasury);
    const request = moving(agent, 'payout', 1_130_000n);
    const { dryRun } = await wallet.dryRunMove(request);
    expect(dryRun).toMatchObject({ decision: { allowed: true }, networkFeeLamports: FEE });
    await wallet.move(request, { deadlineMs: 40_000 });
    expect(await holds(agent.address)).toEqual([1_130_000n, 0n]);
    expect(await since(before)).toEqual([-1_130_000n, -FEE - RENT]);
    expect(await usedWhenQuiet(agent)).toBe(0n);
  });

  it('that the treasury cannot cover does not happen', async () => {
    const agent = await deployment.agent({});
    const { confirmedAmount } = await wallet.getTreasury({});
    await expect(move(agent, 'payout', confirmedAmount + 1n)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      data: { outcome: 'failed' },
    });
  });

  it('whose first attempt was called off before it began is made by the second', async () => {
    const agent = await deployment.agent({});
    const operationId = newId();
    const off = move(agent, 'payout', 7n, { operationId, cancelIfNotStarted: true });
    await expect(off).rejects.toMatchObject({ code: 'TRANSACTION_EXPIRED', data: { outcome: 'expired' } });
    expect((await move(agent, 'payout', 7n, { operationId, attempt: 2 })).state).toBe(CONFIRMED);
  });
});

const PLACES = [
  'move.after-build',
  'move.after-reservation',
  'move.after-signing',
  'move.after-persisting',
  'move.after-broadcast',
  'move.after-landing',
  'move.before-answering',
];

describe.each(casesOf(PLACES, { gate: ['move.after-signing'] }))('a wallet service killed at %s', (place) => {
  it('has moved once when it is asked again', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const before = await holds(treasury);
    await deployment.crashAt('wallet-0', place);
    const request = moving(agent, 'escrow', 5_000_000n);
    const first = codeOf(wallet.move(request, { deadlineMs: 40_000 }));
    await crashAndReturn(deployment, 'wallet');
    await first;
    // Another process takes over when the lease is over, and a message lives for a minute here.
    await eventually(
      () => codeOf(wallet.move(request, { deadlineMs: 40_000 })),
      (code) => code === 'OK',
    );
    expect(await since(before)).toEqual([5_000_000n, 0n]);
    expect(await usedWhenQuiet(agent)).toBe(5_000_000n);
  });
});
