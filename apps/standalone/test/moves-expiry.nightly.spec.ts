import { newId } from '@agent-wallet/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { impersonate } from './harness/impostor.js';
import { agentIdOf } from './harness/sessions.js';
import { moveOf } from './harness/targets.js';

// Payouts that expire, on a chain so fast that a transaction dies within seconds.

const RENT = 2_039_280n;
const FEE = 5_000n;

let deployment: Deployment;
let wallet: Awaited<ReturnType<typeof impersonate<'wallet'>>>;
let treasury: string;

beforeAll(async () => {
  deployment = await shareDeployment({ slotMs: 20 });
  wallet = await impersonate(deployment, 'prediction', 'wallet');
  treasury = (await wallet.getTreasury({})).address;
});
afterEach(() => deployment.sandbox.disarm());
afterAll(() => wallet?.close());

const holds = (address: string) =>
  Promise.all(['USDC', 'SOL'].map((token) => deployment.sandbox.balanceRaw(address, token)));

describe('a payout', () => {
  it('that never lands is followed by another attempt, and paid once', async () => {
    const agent = await deployment.agent({});
    const [usdc, lamports] = await holds(treasury);
    const name = { operationId: newId(), step: 1, waitMs: 30_000, cancelIfNotStarted: false };
    await deployment.sandbox.arm({ part: 'chain', fault: 'drop', match: { address: agent.address }, times: 10_000 });
    const paying = (attempt: number) =>
      wallet
        .move({ ...name, attempt, agentId: agentIdOf(agent), move: moveOf('payout', 7n) }, { deadlineMs: 40_000 })
        .then(
          () => 'OK',
          ({ code }: { code?: string }) => code,
        );
    expect(await paying(1)).toBe('TRANSACTION_EXPIRED');
    await deployment.sandbox.disarm();
    let last = 2;
    // A busy machine may need longer than this fast chain lets an attempt live.
    while ((await paying(last)) === 'TRANSACTION_EXPIRED') last += 1;
    expect(await paying(last)).toBe('OK');
    expect(await paying(1)).toBe('TRANSACTION_EXPIRED');
    const [usdcNow, lamportsNow] = await holds(treasury);
    expect([usdcNow! - usdc!, lamportsNow! - lamports!]).toEqual([-7n, -FEE - RENT]);
  });
});
