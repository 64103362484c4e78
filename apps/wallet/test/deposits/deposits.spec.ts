import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { OwnLandings } from '../../src/domain/own-landings.js';
import { lamports } from './sandbox.js';
import { DepositWorld } from './world.js';

const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

/** Between confirmation and finality lie 12 seconds then, in which any machine sees a deposit that is pending. */
const REAL_SLOT_MS = 400;

let world: DepositWorld;

beforeAll(async () => {
  world = await DepositWorld.open();
});
afterEach(() => world.forget());
afterAll(() => world?.close());

const usdcOf = (owner: PublicKey) => getAssociatedTokenAddressSync(USDC, owner);

describe('money from outside on a chain with slots of a real length', () => {
  let slow: DepositWorld;

  beforeAll(async () => {
    slow = await DepositWorld.open(REAL_SLOT_MS);
  });
  afterAll(() => slow?.close());

  it('in SOL shows as pending, then as confirmed, with all its details', async () => {
    slow.watch();
    const agent = await slow.agent();
    const sender = await slow.sandbox.stranger(['SOL', 5]);
    const signature = await slow.sandbox.send([sender], lamports(sender, agent.publicKey, 1_234_567_891));
    const [pending] = await eventually(
      () => slow.shown(agent),
      (shown) => shown.length > 0,
    );
    expect(pending).toMatchObject({ status: 'pending', revision: 1 });
    await slow.sandbox.finalize();
    const [deposit, ...others] = await slow.confirmed(agent, 1);
    expect(others).toEqual([]);
    expect(deposit).toEqual({
      status: 'confirmed',
      revision: 2,
      asset: 'SOL',
      amount: 1_234_567_891n,
      decimals: 9,
      to: agent.address,
      signature,
      facts: { mint: '', from: sender.publicKey.toBase58(), account: '' },
      createdAtMs: pending!.createdAtMs,
    });
  });
});

describe('money from outside', () => {
  it('in a token whose account is made by it, and again', async () => {
    world.watch();
    const agent = await world.agent();
    await world.sandbox.faucet(agent.address, 'USDC', '12.5');
    await world.confirmed(agent, 1);
    await world.sandbox.faucet(agent.address, 'USDC', '0.000001');
    await world.sandbox.faucet(agent.address, 'BONK', '3');
    const shown = await world.confirmed(agent, 3);
    const account = usdcOf(agent.publicKey).toBase58();
    expect(shown.map(({ asset, amount, decimals }) => [asset, amount, decimals])).toEqual([
      ['USDC', 12_500_000n, 6],
      ['USDC', 1n, 6],
      ['BONK', 300_000n, 5],
    ]);
    expect(shown[0]!.facts).toMatchObject({ mint: USDC.toBase58(), account });
  });

  it('in a token with a transfer fee shows what arrived', async () => {
    const { mint } = await world.sandbox.admin<{ mint: string }>('POST', '/mints', {
      symbol: 'FEES',
      decimals: 4,
      program: 'token-2022',
      transferFeeBps: 100,
    });
    const program = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
    world.watch();
    const agent = await world.agent();
    const sender = await world.sandbox.stranger(['SOL', 1], [mint, 1_000]);
    const key = new PublicKey(mint);
    const [from, to] = [sender.publicKey, agent.publicKey].map((owner) =>
      getAssociatedTokenAddressSync(key, owner, true, program),
    );
    await world.sandbox.send(
      [sender],
      createAssociatedTokenAccountIdempotentInstruction(sender.publicKey, to!, agent.publicKey, key, program),
      createTransferCheckedInstruction(from!, key, to!, sender.publicKey, 100_000n, 4, [], program),
    );
    const [deposit] = await world.confirmed(agent, 1);
    expect(deposit).toMatchObject({
      amount: 99_000n,
      decimals: 4,
      facts: { mint, from: sender.publicKey.toBase58() },
    });
    expect(await world.sandbox.raw(agent.address, mint)).toBe(99_000n);
  });

  it('in wrapped SOL is a token; lamports are shown once the account counts them', async () => {
    world.watch();
    const agent = await world.agent();
    await world.sandbox.faucet(agent.address, NATIVE_MINT.toBase58(), 2);
    const [deposit, ...others] = await world.confirmed(agent, 1);
    expect(deposit).toMatchObject({
      asset: 'wSOL',
      amount: 2_000_000_000n,
      facts: { mint: NATIVE_MINT.toBase58() },
    });
    expect(others).toEqual([]);
    const sender = await world.sandbox.stranger(['SOL', 1]);
    const account = getAssociatedTokenAddressSync(NATIVE_MINT, agent.publicKey);
    await world.sandbox.send([sender], lamports(sender, account, 7));
    await world.sandbox.send([sender], createSyncNativeInstruction(account));
    expect((await world.confirmed(agent, 2))[1]).toMatchObject({ asset: 'wSOL', amount: 7n });
  });

  it('of many senders into one account within one slot is all there', async () => {
    world.watch();
    const agent = await world.agent();
    await world.sandbox.faucetMany(Array<string>(60).fill(agent.address), 'SOL', 0.01);
    const shown = await world.confirmed(agent, 60);
    expect(shown).toHaveLength(60);
    expect(new Set(shown.map(({ signature }) => signature)).size).toBe(60);
    const { rows } = await world.database.pool.query<{ most: string }>(
      'select max(n) as most from (select count(*) as n from deposits where agent_id = $1 group by slot) as by_slot',
      [agent.id],
    );
    expect(Number(rows[0]!.most)).toBeGreaterThan(1);
  });

  it('several times in one transaction is one deposit an account', async () => {
    world.watch();
    const [one, two] = [await world.agent(), await world.agent()];
    const sender = await world.sandbox.stranger(['SOL', 5], ['USDC', 10]);
    const from = usdcOf(sender.publicKey);
    const to = usdcOf(one.publicKey);
    const signature = await world.sandbox.send(
      [sender],
      lamports(sender, one.publicKey, 1_000_000_000),
      lamports(sender, two.publicKey, 2_000_000_000),
      lamports(sender, one.publicKey, 5),
      createAssociatedTokenAccountIdempotentInstruction(sender.publicKey, to, one.publicKey, USDC),
      createTransferCheckedInstruction(from, USDC, to, sender.publicKey, 3_000_000n, 6),
      createTransferCheckedInstruction(from, USDC, to, sender.publicKey, 1_000_000n, 6),
    );
    const shown = await world.confirmed(one, 2);
    await world.confirmed(two, 1);
    await world.quiet(one, two);
    expect(new Set(shown.map(({ asset, amount }) => `${amount} ${asset}`))).toEqual(
      new Set(['1000000005 SOL', '4000000 USDC']),
    );
    expect(await world.shown(two)).toMatchObject([{ asset: 'SOL', amount: 2_000_000_000n, signature }]);
  });

  it('in an account that only its owner field gives away', async () => {
    world.watch();
    const agent = await world.agent();
    const sender = await world.sandbox.stranger(['SOL', 1], ['USDC', 10]);
    const account = Keypair.generate();
    await world.sandbox.send(
      [sender, account],
      SystemProgram.createAccount({
        fromPubkey: sender.publicKey,
        newAccountPubkey: account.publicKey,
        lamports: 2_039_280,
        space: 165,
        programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
      }),
      createInitializeAccount3Instruction(account.publicKey, USDC, agent.publicKey),
      createTransferCheckedInstruction(usdcOf(sender.publicKey), USDC, account.publicKey, sender.publicKey, 5n, 6),
    );
    const [deposit] = await world.confirmed(agent, 1);
    expect(deposit).toMatchObject({ amount: 5n, facts: { account: account.publicKey.toBase58() } });
  });

  it('that came and went between two polls is there, too', async () => {
    const agent = await world.agent();
    await world.sandbox.faucet(agent.address, 'SOL', 1);
    world.watch();
    await world.confirmed(agent, 1);
    await world.stopWatching();
    const sender = await world.sandbox.stranger(['SOL', 1]);
    await world.sandbox.send([sender], lamports(sender, agent.publicKey, 500_000));
    await world.sandbox.send([agent.key], lamports(agent.key, sender.publicKey, 495_000));
    world.watch();
    await world.confirmed(agent, 2);
    expect((await world.shown(agent))[1]).toMatchObject({ amount: 500_000n });
  });

  it('while the service was down shows once it is up', async () => {
    const agent = await world.agent();
    for (const amount of [1, 2, 3]) await world.sandbox.faucet(agent.address, 'SOL', amount);
    await world.sandbox.faucet(agent.address, 'USDC', 4);
    await eventually(
      async () => (await world.sandbox.connection.getSignaturesForAddress(agent.publicKey, {}, 'finalized')).length,
      (count) => count === 4,
    );
    expect(await world.shown(agent)).toEqual([]);
    world.watch();
    const shown = await world.confirmed(agent, 4);
    // Already final when they are found: no need to say that they are pending. Two accounts are read in any order.
    const found = shown.map(({ amount, revision }) => `${amount} ${revision}`).sort();
    expect(found).toEqual(['1000000000 1', '2000000000 1', '3000000000 1', '4000000 1']);
  });
});

describe('what does not count as a deposit', () => {
  it('is an agent’s own transaction, even if another wallet pays for it', async () => {
    const agent = await world.agent();
    const sponsor = await world.sandbox.stranger(['SOL', 1]);
    world.watch({ operators: [sponsor.publicKey.toBase58()] });
    await world.sandbox.faucet(agent.address, 'SOL', 3);
    await world.sandbox.faucet(agent.address, NATIVE_MINT.toBase58(), 1);
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, agent.publicKey);
    // To itself, an unwrap, a wrap, and one in which it sells lamports to a stranger for USDC.
    const other = await world.sandbox.stranger(['SOL', 1], ['USDC', 5]);
    await world.sandbox.send([agent.key], lamports(agent.key, agent.publicKey, 1_000));
    await world.sandbox.send(
      [sponsor, agent.key],
      createCloseAccountInstruction(wrapped, agent.publicKey, agent.publicKey),
    );
    await world.sandbox.send(
      [agent.key],
      createAssociatedTokenAccountIdempotentInstruction(agent.publicKey, wrapped, agent.publicKey, NATIVE_MINT),
      lamports(agent.key, wrapped, 500),
      createSyncNativeInstruction(wrapped),
    );
    const to = usdcOf(agent.publicKey);
    await world.sandbox.send(
      [other, agent.key],
      createAssociatedTokenAccountIdempotentInstruction(other.publicKey, to, agent.publicKey, USDC),
      createTransferCheckedInstruction(usdcOf(other.publicKey), USDC, to, other.publicKey, 5n, 6),
      lamports(agent.key, other.publicKey, 900),
    );
    await world.confirmed(agent, 2);
    await world.quiet(agent);
    expect((await world.shown(agent)).map(({ asset }) => asset)).toEqual(['SOL', 'wSOL']);
  });

  it('is what failed on chain', async () => {
    world.watch();
    const agent = await world.agent();
    const sender = await world.sandbox.stranger(['SOL', 1]);
    await world.sandbox.send(
      [sender],
      lamports(sender, agent.publicKey, 1_000_000),
      lamports(sender, agent.publicKey, 5_000_000_000),
    );
    await world.quiet(agent);
    expect(await world.shown(agent)).toEqual([]);
  });

  it('is what only the operator signed', async () => {
    const agent = await world.agent();
    const treasury = await world.sandbox.stranger(['SOL', 3]);
    world.watch({ operators: [treasury.publicKey.toBase58()] });
    await world.sandbox.send([treasury], lamports(treasury, agent.publicKey, 1_000_000_000));
    await world.quiet(agent);
    expect(await world.shown(agent)).toEqual([]);
  });
});

describe('between agents', () => {
  it('is what was carried out here for a wallet, which is not read for it, but for others', async () => {
    const [agent, other] = [await world.agent(), await world.agent()];
    const sender = await world.sandbox.stranger(['SOL', 5]);
    const landings = new OwnLandings();
    landings.add(await world.sandbox.send([sender], lamports(sender, agent.publicKey, 1_000_000)), agent.address);
    const given = await world.sandbox.send([sender], lamports(sender, agent.publicKey, 2_000_000));
    landings.add(await world.sandbox.send([sender], lamports(sender, other.publicKey, 3_000_000)), agent.address);
    world.watch({ landings });
    const shown = await world.confirmed(agent, 1);
    expect(shown.map(({ signature }) => signature)).toEqual([given]);
    expect(await world.confirmed(other, 1)).toMatchObject([{ amount: 3_000_000n }]);
  });

  it('a transfer is a deposit at the recipient, once, with the sponsor signing along or not', async () => {
    const [from, to] = [await world.agent(), await world.agent()];
    const sponsor = await world.sandbox.stranger(['SOL', 1]);
    world.watch({ operators: [sponsor.publicKey.toBase58()] });
    await world.sandbox.faucet(from.address, 'SOL', 5);
    await world.sandbox.send([from.key], lamports(from.key, to.publicKey, 1_000_000_000));
    await world.sandbox.send([sponsor, from.key], lamports(from.key, to.publicKey, 2_000_000_000));
    await world.confirmed(to, 2);
    await world.quiet(from, to);
    const sender = { from: from.address };
    expect(await world.shown(to)).toMatchObject([
      { amount: 1_000_000_000n, facts: sender },
      { amount: 2_000_000_000n, facts: sender },
    ]);
    expect(await world.shown(from)).toHaveLength(1);
  });
});
