import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeMint2Instruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
  getTransferFeeAmount,
  MINT_SIZE,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, sendAndConfirmTransaction, SystemProgram, Transaction } from '@solana/web3.js';
import { signed, transfer } from './transactions.js';
import { USDC, World } from './world.js';

describe('the token programs, through the official client', () => {
  let world: World;
  let alice: Keypair;

  beforeAll(async () => {
    world = await World.start();
    alice = await world.funded(['SOL', 100], ['USDC', 1_000]);
  });

  afterAll(() => world.stop());

  const stranger = (): PublicKey => Keypair.generate().publicKey;

  it('runs the token program: makes an account, moves tokens, reads them in every encoding', async () => {
    const bob = stranger();
    const [from, to] = [alice.publicKey, bob].map((owner) => getAssociatedTokenAddressSync(USDC, owner));
    const make = createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, to!, bob, USDC);
    const move = createTransferCheckedInstruction(from!, USDC, to!, alice.publicKey, 64_100_000, 6);
    const signature = await world.connection.sendTransaction(await signed(world, alice, make, move));
    expect((await getAccount(world.connection, to!)).amount).toBe(64_100_000n);
    expect((await getMint(world.connection, USDC)).decimals).toBe(6);
    const parsed = await world.connection.getParsedTokenAccountsByOwner(bob, { mint: USDC });
    expect(parsed.value[0]!.account.data.parsed.info).toMatchObject({
      owner: bob.toBase58(),
      state: 'initialized',
      tokenAmount: { amount: '64100000', uiAmount: 64.1, uiAmountString: '64.1' },
    });
    const raw = await world.connection.getTokenAccountsByOwner(bob, { programId: TOKEN_PROGRAM_ID });
    expect(raw.value[0]!.account.data.readBigUInt64LE(64)).toBe(64_100_000n);
    expect((await world.connection.getTokenAccountBalance(to!)).value.uiAmountString).toBe('64.1');
    const slice = await world.connection.getAccountInfo(to!, { dataSlice: { offset: 64, length: 8 } });
    expect(slice!.data.readBigUInt64LE()).toBe(64_100_000n);
    const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta!.preTokenBalances).toHaveLength(1);
    expect(landed!.meta!.postTokenBalances!.find((b) => b.owner === bob.toBase58())!.uiTokenAmount.amount).toBe(
      '64100000',
    );
    expect(landed!.meta!.innerInstructions!.length).toBeGreaterThan(0);
  });

  it('wraps and unwraps SOL', async () => {
    const account = getAssociatedTokenAddressSync(NATIVE_MINT, alice.publicKey);
    const make = createAssociatedTokenAccountIdempotentInstruction(
      alice.publicKey,
      account,
      alice.publicKey,
      NATIVE_MINT,
    );
    const wrap = [transfer(alice, account, 1_000_000_000), createSyncNativeInstruction(account)];
    await world.connection.sendTransaction(await signed(world, alice, make, ...wrap));
    expect(await world.raw(alice.publicKey, NATIVE_MINT.toBase58())).toBe(1_000_000_000n);
    const before = await world.connection.getBalance(alice.publicKey);
    await world.connection.sendTransaction(
      await signed(world, alice, createCloseAccountInstruction(account, alice.publicKey, alice.publicKey)),
    );
    expect(await world.connection.getBalance(alice.publicKey)).toBe(before + 1_000_000_000 + 2_039_280 - 5_000);
    expect(await world.connection.getAccountInfo(account)).toBeNull();
  });

  it('takes token-2022’s fee out of a transfer', async () => {
    const { body } = await world.admin('POST', '/mints', {
      symbol: 'FEE',
      decimals: 3,
      program: 'token-2022',
      transferFeeBps: 100,
    });
    const mint = new PublicKey(body['mint']!);
    await world.admin('POST', '/faucet', { address: alice.publicKey.toBase58(), token: 'FEE', amount: 500 });
    const bob = stranger();
    const program = TOKEN_2022_PROGRAM_ID;
    const [from, to] = [alice.publicKey, bob].map((owner) =>
      getAssociatedTokenAddressSync(mint, owner, false, program),
    );
    const make = createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, to!, bob, mint, program);
    const move = createTransferCheckedInstruction(from!, mint, to!, alice.publicKey, 100_000, 3, [], program);
    await world.connection.sendTransaction(await signed(world, alice, make, move));
    const account = await getAccount(world.connection, to!, 'confirmed', program);
    expect(account.amount).toBe(99_000n);
    expect(getTransferFeeAmount(account)!.withheldAmount).toBe(1_000n);
    const info = await world.connection.getParsedAccountInfo(mint);
    expect(JSON.stringify(info.value!.data)).toContain('"extension":"transferFeeConfig"');
  });

  it('let any wallet create a mint the long way', async () => {
    const mint = Keypair.generate();
    const lamports = await world.connection.getMinimumBalanceForRentExemption(MINT_SIZE);
    const create = SystemProgram.createAccount({
      fromPubkey: alice.publicKey,
      newAccountPubkey: mint.publicKey,
      space: MINT_SIZE,
      lamports,
      programId: TOKEN_PROGRAM_ID,
    });
    const init = createInitializeMint2Instruction(mint.publicKey, 9, alice.publicKey, null);
    await sendAndConfirmTransaction(world.connection, new Transaction().add(create, init), [alice, mint]);
    expect((await getMint(world.connection, mint.publicKey)).mintAuthority).toEqual(alice.publicKey);
    expect(lamports).toBe(1_461_600);
  });
});
