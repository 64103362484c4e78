import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AuthorityType,
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  type ParsedTransactionWithMeta,
  type PublicKey,
  SystemProgram,
  TransactionInstruction,
  PublicKey as Address,
} from '@solana/web3.js';
import { sendBlindly, signed, transfer } from './transactions.js';
import { USDC, World } from './world.js';

const MEMO = new Address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const V0 = { maxSupportedTransactionVersion: 0 } as const;

let world: World;
let alice: Keypair;

beforeAll(async () => {
  world = await World.start();
  alice = await world.funded(['SOL', 100], ['USDC', 1_000]);
});

afterAll(() => world.stop());

async function land(...instructions: TransactionInstruction[]): Promise<ParsedTransactionWithMeta> {
  const signature = await sendBlindly(world, await signed(world, alice, ...instructions));
  const parsed = await world.connection.getParsedTransaction(signature, V0);
  expect(parsed?.meta?.err).toBeNull();
  return parsed!;
}

const usdcOf = (owner: PublicKey) => getAssociatedTokenAddressSync(USDC, owner);

describe('a parsed transaction', () => {
  it('names what the system program does', async () => {
    const to = Keypair.generate().publicKey;
    const { transaction } = await land(transfer(alice, to, 10_000_000));
    expect(transaction.message.instructions).toEqual([
      {
        parsed: {
          type: 'transfer',
          info: { source: alice.publicKey.toBase58(), destination: to.toBase58(), lamports: 10_000_000 },
        },
        program: 'system',
        programId: SystemProgram.programId,
        stackHeight: 1,
      },
    ]);
  });

  it('names what token programs do, and what they call', async () => {
    const [owner, to] = [alice.publicKey, Keypair.generate().publicKey];
    const [source, account] = [usdcOf(owner), usdcOf(to)];
    const { transaction, meta } = await land(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
      createAssociatedTokenAccountIdempotentInstruction(owner, account, to, USDC),
      createTransferCheckedInstruction(source, USDC, account, owner, 12_500_000, 6),
      new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('lunch – thanks') }),
    );
    const [budget, create, sent, memo] = transaction.message.instructions;
    expect(budget).not.toHaveProperty('parsed');
    expect(budget).toMatchObject({ programId: ComputeBudgetProgram.programId, accounts: [] });
    expect(create).toMatchObject({
      program: 'spl-associated-token-account',
      parsed: {
        type: 'createIdempotent',
        info: {
          source: owner.toBase58(),
          account: account.toBase58(),
          wallet: to.toBase58(),
          mint: USDC.toBase58(),
          systemProgram: SystemProgram.programId.toBase58(),
          tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
        },
      },
    });
    expect(sent).toMatchObject({
      program: 'spl-token',
      parsed: {
        type: 'transferChecked',
        info: {
          source: source.toBase58(),
          mint: USDC.toBase58(),
          destination: account.toBase58(),
          authority: owner.toBase58(),
          tokenAmount: { amount: '12500000', decimals: 6, uiAmount: 12.5, uiAmountString: '12.5' },
        },
      },
    });
    expect(memo).toMatchObject({ program: 'spl-memo', parsed: 'lunch – thanks' });
    const inner = meta!.innerInstructions!.flatMap(({ instructions }) => instructions);
    expect(inner.map((each) => ('parsed' in each ? each.parsed.type : undefined))).toEqual([
      'getAccountDataSize',
      'createAccount',
      'initializeImmutableOwner',
      'initializeAccount3',
    ]);
    expect(inner[0]).toMatchObject({ parsed: { info: { mint: USDC.toBase58(), extensionTypes: ['immutableOwner'] } } });
    expect(inner[1]).toMatchObject({ parsed: { info: { lamports: 2_039_280, space: 165 } }, stackHeight: 2 });
  });

  it('names approvals, authorities and the end of an account', async () => {
    const [owner, delegate] = [alice.publicKey, Keypair.generate().publicKey];
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, owner);
    const { transaction } = await land(
      createAssociatedTokenAccountIdempotentInstruction(owner, wrapped, owner, NATIVE_MINT),
      transfer(alice, wrapped, 1_000_000),
      createSyncNativeInstruction(wrapped),
      createApproveCheckedInstruction(usdcOf(owner), USDC, delegate, owner, 1_000_000, 6),
      createRevokeInstruction(usdcOf(owner), owner),
      createTransferInstruction(usdcOf(owner), usdcOf(owner), owner, 1n),
      createSetAuthorityInstruction(wrapped, owner, AuthorityType.CloseAccount, delegate),
      createSetAuthorityInstruction(usdcOf(owner), owner, AuthorityType.CloseAccount, null),
    );
    const parsed = transaction.message.instructions.map((each) => ('parsed' in each ? each.parsed : undefined));
    expect(parsed.map(({ type }) => type)).toEqual([
      'createIdempotent',
      'transfer',
      'syncNative',
      'approveChecked',
      'revoke',
      'transfer',
      'setAuthority',
      'setAuthority',
    ]);
    expect(parsed[5].info).toMatchObject({ amount: '1', authority: owner.toBase58() });
    expect(parsed[6].info).toMatchObject({ authorityType: 'closeAccount', newAuthority: delegate.toBase58() });
    expect(parsed[7].info).toMatchObject({ account: usdcOf(owner).toBase58(), newAuthority: null });
  });

  it('keeps the bytes of an instruction that is cut short, or of another kind', async () => {
    const short = new TransactionInstruction({
      programId: SystemProgram.programId,
      keys: [],
      data: Buffer.from([2, 0, 0, 0, 1]),
    });
    const signature = await sendBlindly(world, await signed(world, alice, short));
    const { transaction } = (await world.connection.getParsedTransaction(signature, V0))!;
    expect(transaction.message.instructions[0]).not.toHaveProperty('parsed');
    const closing = createCloseAccountInstruction(usdcOf(alice.publicKey), alice.publicKey, alice.publicKey);
    closing.keys.pop();
    const other = await sendBlindly(world, await signed(world, alice, closing));
    const found = (await world.connection.getParsedTransaction(other, V0))!;
    expect(found.transaction.message.instructions[0]).not.toHaveProperty('parsed');
  });
});

describe('a block', () => {
  it('holds what landed in its slot, in the form that is asked for', async () => {
    const { slot, transaction, meta } = await land(transfer(alice, Keypair.generate().publicKey, 10_000_000));
    const block = (await world.connection.getBlock(slot, V0))!;
    expect(block.transactions.map((each) => each.transaction.signatures)).toEqual([transaction.signatures]);
    expect(block.transactions[0]!.meta!.fee).toBe(meta!.fee);
    expect(block).toMatchObject({ parentSlot: slot - 1, blockTime: await world.connection.getBlockTime(slot) });
    const parsed = await world.connection.getParsedBlock(slot, V0);
    expect(parsed.transactions[0]!.transaction).toEqual(transaction);
    const signatures = await world.connection.getBlockSignatures(slot);
    expect(signatures.signatures).toEqual(transaction.signatures);
    const { result } = await world.rpc('getBlock', [slot, { ...V0, transactionDetails: 'accounts' }]);
    expect(result!['transactions'][0]).toMatchObject({
      transaction: { signatures: transaction.signatures, accountKeys: [{ signer: true, writable: true }, {}, {}] },
    });
    const none = await world.connection.getBlock(slot, { ...V0, transactionDetails: 'none', rewards: false });
    expect(none).not.toHaveProperty('transactions');
  });

  it('is refused when it is to come, and when it was before the first', async () => {
    const first = await world.connection.getFirstAvailableBlock();
    const code = async (slot: number) => (await world.rpc('getBlock', [slot])).error?.code;
    expect(await code((await world.connection.getSlot()) + 1_000_000)).toBe(-32004);
    expect(await code(first - 1)).toBe(-32001);
    expect(await code(first)).toBeUndefined();
    expect((await world.rpc('getBlock', [first, { transactionDetails: 'all' }])).error?.code).toBe(-32602);
  });

  it('is listed', async () => {
    const first = await world.connection.getFirstAvailableBlock();
    expect(await world.connection.getMinimumLedgerSlot()).toBe(first);
    expect(await world.connection.getBlocks(first - 5, first + 1)).toEqual([first, first + 1]);
    expect((await world.rpc('getBlocksWithLimit', [first, 3])).result).toEqual([first, first + 1, first + 2]);
    expect((await world.rpc('getBlocks', [first, first + 500_001])).error?.code).toBe(-32602);
  });
});

describe('the network', () => {
  it('is described as clients ask for it', async () => {
    const leader = await world.connection.getSlotLeader();
    expect(await world.connection.getSlotLeaders(await world.connection.getSlot(), 2)).toHaveLength(2);
    expect((await world.connection.getClusterNodes())[0]!.pubkey).toBe(leader);
    expect(await world.connection.getVoteAccounts()).toEqual({ current: [], delinquent: [] });
    expect((await world.connection.getEpochSchedule()).slotsPerEpoch).toBe(432_000);
    expect(await world.connection.getInflationRate()).toMatchObject({ total: 0 });
    expect(await world.connection.getInflationGovernor()).toMatchObject({ initial: 0 });
    const { value } = await world.connection.getSupply();
    expect(value.total).toBeGreaterThan(100 * 1e9);
    expect(value.circulating).toBe(value.total);
  });
});
