import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { key, keyText } from '../src/encoding/keys.js';
import { fillInstruction, type FillOrder, type FillSide } from '../src/market/fill.js';
import { MarketWorld, mintOf } from './market-world.js';
import { temporaryDir } from './world.js';

const SOL = NATIVE_MINT.toBase58();
const [USDC, JUP] = ['USDC', 'JUP'].map(mintOf) as [string, string];
const tokenProgram = TOKEN_PROGRAM_ID.toBase58();

describe('an order both sides sign', () => {
  const data = temporaryDir();
  let world: MarketWorld;
  let taker: Keypair;
  let maker: Keypair;

  beforeAll(async () => {
    world = new MarketWorld(data.dir);
    [taker, maker] = [Keypair.generate(), Keypair.generate()];
    for (const wallet of [taker, maker]) {
      for (const symbol of ['SOL', 'USDC', 'JUP']) await world.fund(wallet.publicKey, symbol, 10_000_000_000n);
    }
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  const side = (mint: string, amount: bigint): FillSide => {
    const [takerAccount, makerAccount] = [taker, maker].map(({ publicKey }) =>
      mint === SOL ? undefined : world.ataOf(publicKey, mint).toBase58(),
    );
    return { mint, tokenProgram, takerAccount, makerAccount, amount };
  };

  const order = (input: FillSide, output: FillSide, changes: Partial<FillOrder> = {}): FillOrder => {
    const addresses = { taker: taker.publicKey.toBase58(), maker: maker.publicKey.toBase58() };
    return { ...addresses, input, output, expireAtSeconds: nowSeconds() + 30, ...changes };
  };

  const nowSeconds = (): number => Math.floor(world.chain.clock.nowMs() / 1000);

  /** The maker pays for the transaction. */
  function fill(terms: FillOrder): { error: unknown; fee: bigint } {
    const { error, fee } = world.run([fillInstruction(terms)], [maker, taker]);
    const parsed = error === null ? null : (JSON.parse(error) as { InstructionError: [number, unknown] });
    return { error: parsed && parsed.InstructionError[1], fee };
  }

  const holdings = (): bigint[] =>
    [taker, maker].flatMap(({ publicKey }) => [
      world.lamports(publicKey),
      world.held(publicKey, USDC),
      world.held(publicKey, JUP),
    ]);

  it.each([
    ['native SOL for tokens', SOL, USDC, [-1_000n, 2_000n, 0n, 1_000n, -2_000n, 0n]],
    ['tokens for native SOL', USDC, SOL, [2_000n, -1_000n, 0n, -2_000n, 1_000n, 0n]],
    ['tokens for tokens', JUP, USDC, [0n, 2_000n, -1_000n, 0n, -2_000n, 1_000n]],
  ] as const)('moves exactly %s', (_name, from, to, deltas) => {
    const before = holdings();
    const { error, fee } = fill(order(side(from, 1_000n), side(to, 2_000n)));
    expect(error).toBeNull();
    const expected = before.map((amount, i) => amount + deltas[i]! - (i === 3 ? fee : 0n));
    expect(holdings()).toEqual(expected);
  });

  it('with the world’s own maker, who has every token', () => {
    const { maker: own } = world.market;
    const address = keyText(own.keypair.key);
    for (const mint of [USDC, JUP, SOL]) {
      expect(world.chain.account(key(own.tokenAccount(mint)!))).toBeDefined();
    }
    expect(own.tokenAccount(Keypair.generate().publicKey.toBase58())).toBeUndefined();
    expect(world.lamports(new PublicKey(address))).toBeGreaterThan(1_000_000_000_000n);
  });

  it.each([
    [
      'has expired',
      () => order(side(JUP, 1n), side(USDC, 1n), { expireAtSeconds: nowSeconds() - 2 }),
      { Custom: 6003 },
    ],
    [
      'pays another wallet',
      () => order(side(JUP, 1n), { ...side(USDC, 1n), takerAccount: world.ataOf(maker.publicKey, USDC).toBase58() }),
      { Custom: 2015 },
    ],
    [
      'takes from another wallet',
      () => order({ ...side(JUP, 1n), takerAccount: world.ataOf(maker.publicKey, JUP).toBase58() }, side(USDC, 1n)),
      { Custom: 2015 },
    ],
    [
      'pays another token',
      () => order(side(JUP, 1n), { ...side(USDC, 1n), takerAccount: world.ataOf(taker.publicKey, JUP).toBase58() }),
      { Custom: 2014 },
    ],
    [
      'calls lamports a token',
      () => order(side(JUP, 1n), { ...side(USDC, 1n), takerAccount: undefined, makerAccount: undefined }),
      { Custom: 2014 },
    ],
    [
      'has an account on one side only',
      () => order(side(JUP, 1n), { ...side(USDC, 1n), takerAccount: undefined }),
      { Custom: 6001 },
    ],
    ['costs more than there is', () => order(side(JUP, 10n ** 15n), side(USDC, 1n)), { Custom: 1 }],
    ['pays more than there is', () => order(side(JUP, 1n), side(USDC, 10n ** 15n)), { Custom: 1 }],
  ])('moves nothing when it %s', (_name, terms, error) => {
    const before = holdings();
    const outcome = fill(terms());
    expect(outcome.error).toEqual(error);
    expect(holdings()).toEqual(before.map((amount, i) => amount - (i === 3 ? outcome.fee : 0n)));
  });

  it('moves no token that keeps a part of what is sent', async () => {
    const mint = await world.makeToken({ symbol: 'TAXED', program: 'token-2022', transferFeeBps: 100 }, '1');
    await world.fund(maker.publicKey, 'TAXED', 1_000_000n);
    await world.fund(taker.publicKey, 'TAXED', 1n);
    const taxed = { ...side(mint, 10_000n), tokenProgram: TOKEN_2022_PROGRAM_ID.toBase58() };
    expect(fill(order(side(JUP, 1n), taxed)).error).toEqual({ Custom: 6002 });
    expect(world.held(maker.publicKey, mint)).toBe(1_000_000n);
  });

  it('is good until its second has passed', () => {
    const terms = order(side(JUP, 1n), side(USDC, 1n));
    world.chain.advanceClock((terms.expireAtSeconds - nowSeconds()) * 1_000);
    expect(fill(terms).error).toBeNull();
    world.chain.advanceClock(1_000);
    expect(fill(order(terms.input, terms.output, terms)).error).toEqual({ Custom: 6003 });
  });

  it.each([0, 1])('needs the signature of both (%i)', (index) => {
    const terms = order(side(JUP, 1n), side(USDC, 1n));
    const instruction = fillInstruction(terms);
    instruction.keys[index]!.isSigner = false;
    const signer = index === 0 ? maker : taker;
    const { error } = world.run([instruction], [signer]);
    expect(error).toContain('"Custom":3010');
  });
});
