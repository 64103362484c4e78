import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  assembleVerified,
  associatedTokenAddress,
  buildMessage,
  networkFeeLamports,
  requiredSigners,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/solana';
import {
  ComputeBudgetInstruction,
  Keypair,
  type PublicKey,
  TransactionMessage,
  VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { statusOf } from './transactions.js';
import { USDC, World } from './world.js';

type Intent = Parameters<typeof buildMessage>[0]['intent'];
type Transfer = Extract<Intent['action'], { $case: 'transfer' }>['value'];

const SOL = 1_000_000_000n;
const RENT = 2_039_280n;
const TOKEN = { mint: USDC.toBase58(), tokenProgram: TOKEN_PROGRAM, decimals: 6 };
const NATIVE = { mint: '', tokenProgram: '', decimals: 9 };

let world: World;
let sponsor: Keypair;
let feeWallet: Keypair;
/** A token whose mint keeps 1 % of every transfer. */
let taxed: { mint: string; tokenProgram: string; decimals: number };

beforeAll(async () => {
  world = await World.start();
  const order = { symbol: 'TAXED', decimals: 6, program: 'token-2022', transferFeeBps: 100 };
  const { body } = await world.admin('POST', '/mints', order);
  taxed = { mint: body['mint']!, tokenProgram: TOKEN_2022_PROGRAM, decimals: 6 };
  sponsor = await world.funded(['SOL', 10]);
  feeWallet = await world.funded(['SOL', 1], ['USDC', 1], ['TAXED', 1]);
});

afterAll(() => world.stop());

const sponsored = (): Pick<Intent, 'sponsor' | 'maxNetworkFeeLamports'> => ({
  sponsor: sponsor.publicKey.toBase58(),
  maxNetworkFeeLamports: 10_000n,
});

function transfer(wallet: Keypair, to: PublicKey, value: Partial<Transfer>): Intent {
  const defaults = { ...NATIVE, recipient: to.toBase58(), amount: 1n, createsRecipientAccount: false, memo: '' };
  return { wallet: wallet.publicKey.toBase58(), action: { $case: 'transfer', value: { ...defaults, ...value } } };
}

function unwrap(wallet: Keypair, amount: bigint, remainder: bigint): Intent {
  return { wallet: wallet.publicKey.toBase58(), action: { $case: 'unwrap', value: { amount, remainder } } };
}

/** Signs and sends what is built for an intent, as the services do. It lands, for half of its compute units at most. */
async function carryOut(intent: Intent, wallet: Keypair, { headroom } = { headroom: 2 }): Promise<void> {
  const { blockhash } = await world.connection.getLatestBlockhash('confirmed');
  const bytes = buildMessage({ intent, blockhash });
  const message = VersionedMessage.deserialize(bytes);
  const signed = new VersionedTransaction(message);
  signed.sign(intent.sponsor === undefined ? [wallet] : [wallet, sponsor]);
  const signatures = new Map(requiredSigners(bytes).map((signer, i) => [signer, signed.signatures[i]!]));
  const transaction = assembleVerified(bytes, signatures)!;
  const signature = await world.connection.sendRawTransaction(transaction, { skipPreflight: true });
  expect(await statusOf(world, signature)).toMatchObject({ err: null });
  const { meta } = (await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!;
  expect(BigInt(meta!.fee)).toBe(networkFeeLamports(bytes));
  expect(meta!.computeUnitsConsumed! * headroom).toBeLessThanOrEqual(limitOf(message));
}

function limitOf(message: VersionedMessage): number {
  return ComputeBudgetInstruction.decodeSetComputeUnitLimit(TransactionMessage.decompile(message).instructions[0]!)
    .units;
}

const lamports = (owner: PublicKey) => world.raw(owner, 'SOL');
const stranger = () => Keypair.generate().publicKey;

describe('a transfer that is built for an intent', () => {
  const memo = 'é'.repeat(128);

  it('of the native coin, with fee and memo, moves just that', async () => {
    const wallet = await world.funded(['SOL', 2]);
    const [to, before] = [stranger(), await lamports(feeWallet.publicKey)];
    const fee = { fee: 3_000_000n, feeRecipient: feeWallet.publicKey.toBase58() };
    await carryOut(transfer(wallet, to, { amount: SOL }), wallet);
    await carryOut(transfer(wallet, to, { amount: SOL / 2n, ...fee, memo }), wallet);
    expect(await lamports(to)).toBe((SOL * 3n) / 2n);
    expect((await lamports(feeWallet.publicKey)) - before).toBe(3_000_000n);
    expect(await lamports(wallet.publicKey)).toBe(SOL / 2n - 3_000_000n - 10_000n);
  });

  it.each([
    ['printable ASCII', 'a'],
    ['control characters', '\u007f'],
    ['Latin letters with accents', 'é'],
    ['Arabic', 'ش'],
    ['Devanagari', 'क'],
    ['curly quotes', '’'],
    ['Chinese', '发'],
    ['Hangul', '가'],
    ['emoji', '🙏'],
    ['replacement characters', '\ufffd'],
    ['marks that combine', 'a\u0301'],
    ['private use beyond the first plane', '\u{10fffd}'],
  ])(
    'lands with any memo of %s, of the native coin and of tokens, to known and to new accounts',
    async (_, character) => {
      const wallet = await world.funded(['SOL', 2], ['USDC', 5]);
      const known = await world.funded(['SOL', 1], ['USDC', 1]);
      const fit = (bytes: number) => character.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(character))));
      const memos = [1, 10, 256].map(fit);
      const transfers = memos.flatMap((memo) => [
        transfer(wallet, known.publicKey, { amount: SOL / 100n, memo }),
        transfer(wallet, stranger(), { amount: SOL / 100n, memo }),
        transfer(wallet, known.publicKey, { ...TOKEN, amount: 1n, memo }),
        transfer(wallet, stranger(), { ...TOKEN, amount: 1n, createsRecipientAccount: true, memo }),
      ]);
      await Promise.all(transfers.map((each) => carryOut(each, wallet, { headroom: 1 })));
    },
  );

  it('of the whole balance is possible when a sponsor pays', async () => {
    const wallet = await world.funded(['SOL', 1]);
    const [to, before] = [stranger(), await lamports(sponsor.publicKey)];
    await carryOut({ ...transfer(wallet, to, { amount: SOL }), ...sponsored() }, wallet);
    expect(await lamports(to)).toBe(SOL);
    expect(await lamports(wallet.publicKey)).toBe(0n);
    expect(before - (await lamports(sponsor.publicKey))).toBe(10_000n);
  });

  it.each([
    ['token', 'USDC', 0n],
    ['token-2022', 'TAXED', 10_000n],
  ])('of a %s needs no SOL when a sponsor pays, rent of the new account included', async (_, symbol, tax) => {
    const wallet = await world.funded([symbol, 5]);
    const token = symbol === 'USDC' ? TOKEN : taxed;
    const [to, before] = [stranger(), await lamports(sponsor.publicKey)];
    const feesBefore = await world.raw(feeWallet.publicKey, token.mint);
    const fee = { fee: 500_000n, feeRecipient: feeWallet.publicKey.toBase58() };
    const value = { ...token, ...fee, amount: 1_000_000n, createsRecipientAccount: true, memo };
    await carryOut({ ...transfer(wallet, to, value), ...sponsored() }, wallet);
    await carryOut({ ...transfer(wallet, to, { ...token, amount: 1_000_000n }), ...sponsored() }, wallet);
    expect(await world.raw(to, token.mint)).toBe(2n * (1_000_000n - tax));
    expect((await world.raw(feeWallet.publicKey, token.mint)) - feesBefore).toBe(500_000n - tax / 2n);
    expect(await world.raw(wallet.publicKey, token.mint)).toBe(2_500_000n);
    expect(await lamports(wallet.publicKey)).toBe(0n);
    const paid = before - (await lamports(sponsor.publicKey));
    if (symbol === 'USDC') expect(paid).toBe(20_000n + RENT);
    else expect(paid).toBeGreaterThan(20_000n + RENT);
  });
});

describe('an unwrap that is built for an intent', () => {
  const account = (wallet: Keypair) =>
    associatedTokenAddress({ owner: wallet.publicKey.toBase58(), mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM });
  const wrappedOf = (wallet: Keypair) => world.raw(wallet.publicKey, WRAPPED_SOL_MINT);

  it('closes the account, and gives its rent back', async () => {
    const wallet = await world.funded(['SOL', 1], [WRAPPED_SOL_MINT, 3]);
    await carryOut(unwrap(wallet, 3n * SOL, 0n), wallet);
    expect(await lamports(wallet.publicKey)).toBe(4n * SOL + RENT - 5_000n);
    expect(await world.rpc('getAccountInfo', [account(wallet)])).toMatchObject({ result: { value: null } });
  });

  it('leaves what is to stay wrapped in an account that can be used again', async () => {
    const wallet = await world.funded(['SOL', 1], [WRAPPED_SOL_MINT, 3]);
    await carryOut(unwrap(wallet, SOL, 2n * SOL), wallet);
    expect(await wrappedOf(wallet)).toBe(2n * SOL);
    expect(await lamports(wallet.publicKey)).toBe(2n * SOL - 5_000n);
    await carryOut(unwrap(wallet, SOL, SOL), wallet);
    expect([await wrappedOf(wallet), await lamports(wallet.publicKey)]).toEqual([SOL, 3n * SOL - 10_000n]);
  });

  it('needs no SOL when a sponsor pays, who pays no rent', async () => {
    const wallet = await world.funded([WRAPPED_SOL_MINT, 3]);
    const before = await lamports(sponsor.publicKey);
    await carryOut({ ...unwrap(wallet, SOL, 2n * SOL), ...sponsored() }, wallet);
    expect([await wrappedOf(wallet), await lamports(wallet.publicKey)]).toEqual([2n * SOL, SOL]);
    await carryOut({ ...unwrap(wallet, 2n * SOL, 0n), ...sponsored() }, wallet);
    expect(await lamports(wallet.publicKey)).toBe(3n * SOL + RENT);
    expect(before - (await lamports(sponsor.publicKey))).toBe(20_000n);
  });

  it('of less than what is there gives the rest as SOL, too', async () => {
    const wallet = await world.funded(['SOL', 1], [WRAPPED_SOL_MINT, 3]);
    await carryOut(unwrap(wallet, SOL, SOL), wallet);
    expect([await wrappedOf(wallet), await lamports(wallet.publicKey)]).toEqual([SOL, 3n * SOL - 5_000n]);
  });
});
