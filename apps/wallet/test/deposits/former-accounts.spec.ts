import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
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

const ACCOUNT_BYTES = 165;
const ACCOUNT_RENT = 2_039_280;

const wrappedOf = ({ publicKey }: Pick<TestAgent, 'publicKey'>) =>
  getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);

/** Money that was sent to an account. */
interface Sent {
  readonly account: PublicKey;
  readonly signature: string;
}

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

/** Opens an account of wrapped SOL for the agent, and then sends some in a transaction that names the account alone. */
async function sendWrapped(agent: TestAgent, units: bigint, kind: 'associated' | 'other' = 'other'): Promise<Sent> {
  const sender = await world.sandbox.stranger(['SOL', 1], [NATIVE_MINT.toBase58(), 1]);
  const payer = sender.publicKey;
  const key = Keypair.generate();
  const account = kind === 'associated' ? wrappedOf(agent) : key.publicKey;
  if (kind === 'associated') {
    const creation = createAssociatedTokenAccountIdempotentInstruction(payer, account, agent.publicKey, NATIVE_MINT);
    await world.sandbox.send([sender], creation);
  } else {
    await world.sandbox.send(
      [sender, key],
      SystemProgram.createAccount({
        fromPubkey: payer,
        newAccountPubkey: account,
        space: ACCOUNT_BYTES,
        lamports: ACCOUNT_RENT,
        programId: TOKEN_PROGRAM_ID,
      }),
      createInitializeAccount3Instruction(account, NATIVE_MINT, agent.publicKey),
    );
  }
  const transfer = createTransferCheckedInstruction(wrappedOf(sender), NATIVE_MINT, account, payer, units, 9);
  return { account, signature: await world.sandbox.send([sender], transfer) };
}

const unwrap = (agent: TestAgent, account: PublicKey) =>
  world.sandbox.send([agent.key], createCloseAccountInstruction(account, agent.publicKey, agent.publicKey));

async function expectShownOnce(agent: TestAgent, { account, signature }: Sent, amount: bigint): Promise<void> {
  await world.confirmed(agent, 2);
  await world.quiet(agent);
  const [, ...others] = await world.shown(agent);
  expect(others).toMatchObject([{ asset: 'wSOL', amount, signature, facts: { account: account.toBase58() } }]);
}

describe('wrapped SOL in an account that was not known', () => {
  it('is shown before the accounts are listed again when a stranger opened the associated account earlier', async () => {
    const agent = await sweptAgent();
    world.watch({ timing: TIMING });
    await expectShownOnce(agent, await sendWrapped(agent, 8n, 'associated'), 8n);
  });

  it('is shown once though the agent unwraps it before its accounts are listed again', async () => {
    const agent = await sweptAgent();
    world.watch({ timing: TIMING });
    const sent = await sendWrapped(agent, 700_000_000n);
    await world.quiet(agent);
    expect(await world.shown(agent)).toHaveLength(1);
    await unwrap(agent, sent.account);
    await expectShownOnce(agent, sent, 700_000_000n);
  });

  it.each<DepositStep>(['after-fetching', 'after-recording', 'after-moving-the-cursor'])(
    'is shown though the replica that reads the unwrap dies %s',
    async (step) => {
      const agent = await sweptAgent();
      const sent = await sendWrapped(agent, 5n);
      await unwrap(agent, sent.account);
      const { died } = world.watch({ timing: TIMING, dieAt: { step } });
      await died;
      world.watch({ timing: TIMING });
      await expectShownOnce(agent, sent, 5n);
    },
  );

  it('is shown when several replicas read the unwrap', async () => {
    const agent = await sweptAgent();
    const sent = await sendWrapped(agent, 6n);
    await unwrap(agent, sent.account);
    for (let n = 0; n < 3; n += 1) world.watch({ timing: TIMING });
    await expectShownOnce(agent, sent, 6n);
    await eventually(
      async () =>
        (
          await world.database.pool.query<{ n: number }>(
            'select count(*)::int as n from watched_accounts where address = $1 and balance = 0',
            [sent.account.toBase58()],
          )
        ).rows[0]!.n,
      (n) => n === 1,
    );
  });
});
