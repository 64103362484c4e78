import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import type { DepositStep } from '../../src/application/deposits/checkpoint.js';
import { DepositWorld, type TestAgent } from './world.js';

/** The first sweep of a wallet lists its accounts; no other will. */
const TIMING = { fullSweepEvery: 1_000_000 };

let world: DepositWorld;

beforeAll(async () => {
  world = await DepositWorld.open();
});
afterEach(() => world.forget());
afterAll(() => world?.close());

const wrappedOf = ({ publicKey }: Pick<TestAgent, 'publicKey'>) =>
  getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);

/** An agent with SOL whose token accounts were listed for good. */
async function sweptAgent(): Promise<TestAgent> {
  const agent = await world.agent();
  await world.sandbox.faucet(agent.address, 'SOL', 1);
  world.watch({ timing: TIMING });
  await world.confirmed(agent, 1);
  await world.quiet(agent);
  await world.stopWatching();
  return agent;
}

/** Opens the agent's account of wrapped SOL, and then sends some in a transaction that names the account alone. */
async function sendWrapped(agent: TestAgent, units: bigint): Promise<string> {
  const sender = await world.sandbox.stranger(['SOL', 1], [NATIVE_MINT.toBase58(), 1]);
  const [from, to] = [sender, agent].map(wrappedOf);
  const payer = sender.publicKey;
  const creation = createAssociatedTokenAccountIdempotentInstruction(payer, to!, agent.publicKey, NATIVE_MINT);
  await world.sandbox.send([sender], creation);
  return world.sandbox.send([sender], createTransferCheckedInstruction(from!, NATIVE_MINT, to!, payer, units, 9));
}

const unwrap = (agent: TestAgent) =>
  world.sandbox.send([agent.key], createCloseAccountInstruction(wrappedOf(agent), agent.publicKey, agent.publicKey));

async function expectShownOnce(agent: TestAgent, signature: string, amount: bigint): Promise<void> {
  await world.confirmed(agent, 2);
  await world.quiet(agent);
  const [, ...others] = await world.shown(agent);
  expect(others).toMatchObject([
    { asset: 'wSOL', amount, signature, metadata: { account: wrappedOf(agent).toBase58() } },
  ]);
}

describe('wrapped SOL in an account that was not known', () => {
  it('is shown once though the agent unwraps it before its accounts are listed again', async () => {
    const agent = await sweptAgent();
    world.watch({ timing: TIMING });
    const signature = await sendWrapped(agent, 700_000_000n);
    await world.quiet(agent);
    expect(await world.shown(agent)).toHaveLength(1);
    await unwrap(agent);
    await expectShownOnce(agent, signature, 700_000_000n);
  });

  it.each<DepositStep>(['after-fetching', 'after-recording', 'after-moving-the-cursor'])(
    'is shown though the replica that reads the unwrap dies %s',
    async (step) => {
      const agent = await sweptAgent();
      const signature = await sendWrapped(agent, 5n);
      await unwrap(agent);
      const { died } = world.watch({ timing: TIMING, dieAt: { step } });
      await died;
      world.watch({ timing: TIMING });
      await expectShownOnce(agent, signature, 5n);
    },
  );

  it('is shown when several replicas read the unwrap', async () => {
    const agent = await sweptAgent();
    const signature = await sendWrapped(agent, 6n);
    await unwrap(agent);
    for (let n = 0; n < 3; n += 1) world.watch({ timing: TIMING });
    await expectShownOnce(agent, signature, 6n);
    await eventually(
      async () =>
        (
          await world.database.pool.query<{ n: number }>(
            'select count(*)::int as n from watched_accounts where address = $1 and balance = 0',
            [wrappedOf(agent).toBase58()],
          )
        ).rows[0]!.n,
      (n) => n === 1,
    );
  });
});
