import { eventually, where } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, describe as suite, it } from '@jest/globals';
import {
  createAssociatedTokenAccountIdempotent,
  createInitializeMintInstruction,
  createInitializeTransferFeeConfigInstruction,
  createSyncNativeInstruction,
  ExtensionType,
  getAccount,
  getAssociatedTokenAddressSync,
  getMintLen,
  mintTo,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, sendAndConfirmTransaction, SystemProgram, Transaction } from '@solana/web3.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentClient } from '../src/index.js';
import { Deployment } from '../src/testing/index.js';
import { newRecipient } from './harness/recipient.js';
import { depositsOf, usedWhenQuiet } from './harness/spending.js';
import { Validator, validatorVersion } from './harness/validator.js';

const version = validatorVersion();
const needed = { name: 'solana-test-validator on the PATH', isMet: version !== undefined };
if (!needed.isMet && process.env['REQUIRE_VALIDATOR']) throw new Error(`${needed.name} is needed`);
const describe = where(suite, needed);

const SOL = 1_000_000_000;
const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
/** A hundredth of each transfer, and at most 5 tokens, stay with the recipient's account as the mint's fee. */
const FEE = { basisPoints: 100, most: 5_000_000n };

const authority = Keypair.generate();
const feeMint = Keypair.generate();
const measured: { readonly what: string; readonly used: number; readonly granted: number; readonly fee: number }[] = [];

let validator: Validator;
let deployment: Deployment;
let agent: AgentClient;
let folder: string;

/** Returns a wallet's lamports, or base units of a token. */
async function held(owner: string, mint?: PublicKey, program = TOKEN_PROGRAM_ID): Promise<bigint> {
  const { connection } = validator;
  if (!mint) return BigInt(await connection.getBalance(new PublicKey(owner), 'confirmed'));
  const account = getAssociatedTokenAddressSync(mint, new PublicKey(owner), true, program);
  return getAccount(connection, account, 'confirmed', program).then(
    ({ amount }) => amount,
    () => 0n,
  );
}

const CLASSIC = { mint: USDC, program: TOKEN_PROGRAM_ID };
const WITH_FEE = { mint: feeMint.publicKey, program: TOKEN_2022_PROGRAM_ID };

/** Gives a wallet SOL, and base units of a token. */
async function give(owner: string, lamports: number, tokens = 0n, { mint, program } = CLASSIC): Promise<void> {
  const to = new PublicKey(owner);
  const paying = SystemProgram.transfer({ fromPubkey: authority.publicKey, toPubkey: to, lamports });
  if (lamports > 0) await sendAndConfirmTransaction(validator.connection, new Transaction().add(paying), [authority]);
  if (tokens === 0n) return;
  const account = await createAssociatedTokenAccountIdempotent(
    ...([validator.connection, authority, mint, to, {}, program] as const),
  );
  await mintTo(validator.connection, authority, mint, account, authority, tokens, [], {}, program);
}

/** Notes the compute units and the fee of a transaction that landed. */
async function note(what: string, signature: string | null | undefined): Promise<void> {
  const landed = await eventually(() =>
    validator.connection
      .getTransaction(signature ?? '', { commitment: 'confirmed', maxSupportedTransactionVersion: 0 })
      .then((found) => found ?? undefined),
  );
  const { staticAccountKeys, compiledInstructions } = landed.transaction.message;
  const budget = compiledInstructions.find(
    ({ programIdIndex, data }) =>
      staticAccountKeys[programIdIndex]!.toBase58().startsWith('ComputeBudget') && data[0] === 2,
  );
  const granted = Buffer.from(budget!.data).readUInt32LE(1);
  measured.push({ what, used: landed.meta!.computeUnitsConsumed!, granted, fee: landed.meta!.fee });
}

/** Sends money, and expects that it landed. */
async function send(what: string, order: Parameters<AgentClient['transfer']>[0], by = agent): Promise<string> {
  const { status, body } = await by.transfer(order);
  expect([what, status, body.message]).toEqual([what, 200, expect.any(String)]);
  await note(what, body.data.signature);
  return body.data.signature ?? '';
}

const login = (name: string) => AgentClient.logIn(deployment.url(), deployment.sandbox, `${name}@agents.example`);

async function makeFeeMint(): Promise<void> {
  const { connection } = validator;
  const space = getMintLen([ExtensionType.TransferFeeConfig]);
  const lamports = await connection.getMinimumBalanceForRentExemption(space);
  const [mint, owner] = [feeMint.publicKey, authority.publicKey];
  const making = new Transaction().add(
    SystemProgram.createAccount({
      ...{ fromPubkey: owner, newAccountPubkey: mint, space, lamports },
      programId: TOKEN_2022_PROGRAM_ID,
    }),
    createInitializeTransferFeeConfigInstruction(mint, owner, owner, FEE.basisPoints, FEE.most, TOKEN_2022_PROGRAM_ID),
    createInitializeMintInstruction(mint, 6, owner, null, TOKEN_2022_PROGRAM_ID),
  );
  await sendAndConfirmTransaction(connection, making, [authority, feeMint]);
}

describe('the product on a real validator', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pegged-'));
    const pegged = path.join(folder, 'pegged');
    await writeFile(
      pegged,
      [`${NATIVE_MINT.toBase58()} 9`, `${USDC.toBase58()} 6`, `${feeMint.publicKey.toBase58()} 6`].join('\n'),
    );
    validator = await Validator.start(authority, USDC);
    await makeFeeMint();
    deployment = await Deployment.start({
      parts: ['transfers'],
      openNodes: async () => [validator.rpcUrl],
      environment: {
        ...{ SOLANA_NETWORK: 'localnet', SANDBOX_ADMIN_URL: '', SOLANA_WS_URL: validator.wsUrl },
        ...{ PYTH_ENABLED: 'false', PEGGED_TOKENS_PATH: pegged },
      },
    });
    agent = await login('a');
    await give(agent.address, 10 * SOL, 1_000_000_000n);
    const { status } = await agent.patchPolicy({ dailyLimitInUsd: 5_000, maxSingleTransactionInUsd: 1_000 });
    expect(status).toBe(200);
    const { sponsor } = deployment.systemWallets;
    if (sponsor) await give(sponsor, SOL);
  }, 300_000);
  afterAll(async () => {
    if (measured.length > 0) {
      const rows = measured.map(({ what, used, granted, fee }) => `| ${what} | ${used} | ${granted} | ${fee} |`);
      process.stdout.write(`${version}\n| Transaction | Units used | Granted | Fee |\n${rows.join('\n')}\n`);
    }
    await deployment?.stop();
    await validator?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('sends SOL to a new wallet and to a known one, exactly', async () => {
    const to = newRecipient();
    await send('SOL, new recipient', { to, amount: 0.1 });
    await send('SOL, known recipient', { to, amount: 0.000000001 });
    expect(await held(to)).toBe(100_000_001n);
  });

  it('sends a token to a wallet without an account of it, and to one with it', async () => {
    const to = newRecipient();
    await send('USDC, new account', { to, amount: 12.5, mint: 'USDC' });
    await send('USDC, known account', { to, amount: 1.000001, mint: 'USDC' });
    expect(await held(to, USDC)).toBe(13_500_001n);
  });

  it.each(['lunch', 'Überweisung für März', '发票编号二零二六年', 'Thanks 🙏🙏🙏', '’’’–€', '가'.repeat(85)])(
    'sends with the memo %j',
    async (memo) => {
      const to = newRecipient();
      const what = `${Buffer.byteLength(memo)} bytes of memo, such as ${memo.slice(0, 3)}`;
      await send(`SOL, ${what}`, { to, amount: 0.01, memo });
      await send(`USDC, ${what}`, { to, amount: 1, mint: 'USDC', memo });
      expect([await held(to), await held(to, USDC)]).toEqual([10_000_000n, 1_000_000n]);
    },
  );

  it('sends a token whose mint keeps a fee, and states what arrived', async () => {
    await give(agent.address, 0, 1_000_000_000n, WITH_FEE);
    const to = newRecipient();
    const mint = feeMint.publicKey.toBase58();
    await send('Token-2022 with a fee, new account', { to, amount: 10, mint });
    expect(await held(to, feeMint.publicKey, TOKEN_2022_PROGRAM_ID)).toBe(9_900_000n);
    await send('Token-2022 with a fee, known account', { to, amount: 600, mint });
    expect(await held(to, feeMint.publicKey, TOKEN_2022_PROGRAM_ID)).toBe(9_900_000n + 595_000_000n);
  });

  it('pays the network for a wallet without SOL', async () => {
    const poor = await login('poor');
    await give(poor.address, 0, 20_000_000n);
    const to = newRecipient();
    await give(to, 0, 1n);
    await send('USDC, sponsored', { to, amount: 2, mint: 'USDC' }, poor);
    expect([await held(to, USDC), await held(poor.address, USDC), await held(poor.address)]).toEqual([
      ...[2_000_001n, 18_000_000n, 0n],
    ]);
  });

  it('turns wrapped SOL into SOL', async () => {
    const account = await createAssociatedTokenAccountIdempotent(
      ...([validator.connection, authority, NATIVE_MINT, new PublicKey(agent.address), {}] as const),
    );
    const wrapping = new Transaction().add(
      SystemProgram.transfer({ fromPubkey: authority.publicKey, toPubkey: account, lamports: SOL }),
      createSyncNativeInstruction(account),
    );
    await sendAndConfirmTransaction(validator.connection, wrapping, [authority]);
    const before = await held(agent.address);
    const { status, body } = await agent.unwrap();
    expect([status, body.message]).toEqual([200, expect.any(String)]);
    await note('unwrap', body.data.signature);
    expect(await held(agent.address)).toBeGreaterThan(before + BigInt(SOL) - 10_000n);
  });

  it('holds the daily limit against payments at once', async () => {
    const many = await login('many');
    await give(many.address, SOL, 600_000_000n);
    expect((await many.patchPolicy({ dailyLimitInUsd: 100 })).status).toBe(200);
    const to = newRecipient();
    await give(to, 0, 1n);
    const sent = await Promise.all(
      Array.from({ length: 25 }, () => many.transfer({ to, amount: 9.99, mint: 'USDC' }).catch(() => undefined)),
    );
    expect(await usedWhenQuiet(many)).toBe(99_900_000n);
    expect(await held(to, USDC)).toBe(99_900_001n);
    expect(sent.filter((each) => each?.status === 200).length).toBeLessThanOrEqual(10);
  });

  it('finds deposits that came while the wallet service was away', async () => {
    const receiver = await login('receiver');
    await deployment.kill('wallet-0');
    await give(receiver.address, 123_456_789, 7_000_001n);
    await deployment.restart('wallet-0');
    const found = await eventually(
      () => depositsOf(receiver),
      (deposits) => deposits.length === 2,
    );
    expect(found.map(({ amountRaw }) => amountRaw).sort()).toEqual(['123456789', '7000001']);
  });

  it('pays each once when services are killed meanwhile', async () => {
    const payer = await login('payer');
    await give(payer.address, SOL, 100_000_000n);
    const to = newRecipient();
    await give(to, 0, 1n);
    const orders = Array.from({ length: 12 }, (_, i) => ({ key: `validator-kill-${i}`, amount: 1 + i / 1_000_000 }));
    const pay = ({ key, amount }: (typeof orders)[number]) =>
      payer.transfer({ to, amount, mint: 'USDC' }, key).catch(() => undefined);
    const first = Promise.all(orders.map(pay));
    for (const name of ['wallet-0', 'policy-0', 'signer-0']) {
      await deployment.kill(name);
      await deployment.restart(name);
    }
    await first;
    for (const order of orders)
      await eventually(
        async () => (await pay(order))?.status,
        (status) => status === 200,
      );
    expect(await held(to, USDC)).toBe(1n + 12_000_066n);
  });

  it('pays each once when the node ends and comes back', async () => {
    const payer = await login('patient');
    await give(payer.address, SOL, 100_000_000n);
    const to = newRecipient();
    await give(to, 0, 1n);
    const pay = (i: number) => payer.transfer({ to, amount: 1, mint: 'USDC' }, `validator-restart-${i}`);
    const during = Array.from({ length: 8 }, (_, i) => pay(i).catch(() => undefined));
    await validator.end('SIGTERM');
    await validator.run();
    await Promise.all(during);
    const outcomes: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const { status } = await eventually(
        () => pay(i),
        // A refusal is final: an upstream that was away, or a message that expired.
        (answer) =>
          answer.status === 200 ||
          (answer.status >= 400 && (answer.body.data as { retry?: string }).retry !== 'same_key'),
      );
      outcomes.push(status);
    }
    const paid = BigInt(outcomes.filter((status) => status === 200).length);
    expect(await usedWhenQuiet(payer)).toBe(paid * 1_000_000n);
    expect(await held(to, USDC)).toBe(1n + paid * 1_000_000n);
  });

  it('has granted every message the units that it used', () => {
    expect(measured.filter(({ used, granted }) => used > granted)).toEqual([]);
    expect(measured.length).toBeGreaterThan(15);
  });
});
