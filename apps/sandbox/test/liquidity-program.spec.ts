import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Keypair, PublicKey } from '@solana/web3.js';
import { type Key, key, keyText } from '../src/encoding/keys.js';
import { FEE_TIERS } from '../src/liquidity/fee-tiers.js';
import type { PoolState } from '../src/liquidity/liquidity-venue.js';
import { freePlan, liquidityData, Provider } from './liquidity-calls.js';
import { MarketWorld, mintOf } from './market-world.js';
import { temporaryDir } from './world.js';

const MOST = 2n ** 64n - 1n;
const UNITS = 1_000_000_000_000n;
const up = (a: bigint, b: bigint, c: bigint): bigint => (a * b + c - 1n) / c;
const custom = (code: number) => ({ Custom: code });

describe('the constant-product program', () => {
  const data = temporaryDir();
  let world: MarketWorld;
  let provider: Provider;
  let stranger: Keypair;
  let maker: Key;

  beforeAll(async () => {
    world = new MarketWorld(data.dir);
    maker = world.trading.maker.key;
    await world.makeToken({ symbol: 'TAXED', program: 'token-2022', transferFeeBps: 250 }, '1');
    await world.makeToken({ symbol: 'NEWER', program: 'token-2022' }, '1');
    stranger = Keypair.generate();
    for (const symbol of ['USDC', 'JUP']) await world.fund(stranger.publicKey, symbol, UNITS);
  });

  beforeEach(async () => {
    provider = await makeProvider(['JUP', 'USDC'], [3_000_000_007n, 1_000_000_003n]);
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  function makePool(symbols: readonly [string, string], amounts: readonly [bigint, bigint], more = {}): PoolState {
    return world.liquidity.create({ ...freePlan(world, symbols, amounts), ...more }, null);
  }

  async function makeProvider(
    symbols: readonly [string, string],
    amounts: readonly [bigint, bigint],
    more = {},
  ): Promise<Provider> {
    const wallet = Keypair.generate();
    await world.fund(wallet.publicKey, 'SOL', 1_000_000_000n);
    for (const symbol of symbols) await world.fund(wallet.publicKey, symbol, UNITS);
    const made = new Provider(world, wallet, makePool(symbols, amounts, more).address);
    made.open();
    return made;
  }

  it('takes the golden bytes of a deposit', () => {
    const bytes = liquidityData('deposit', { lp: 1_000_000n, bounds: [2_000_000_000n, 300_000_000n] });
    expect(bytes.toString('hex')).toBe('f223c68952e1f2b640420f0000000000009435770000000000a3e11100000000');
  });

  it('takes the tokens of a deposit rounded up and mints exactly the LP units', () => {
    const { reserves, lpSupply } = provider.pool;
    const minted = provider.minted();
    const before = provider.held();
    const lp = 1_234_567n;
    const need = reserves.map((reserve) => up(lp, reserve, lpSupply)) as [bigint, bigint];
    expect(provider.deposit(lp, ...need)).toBeNull();
    expect(provider.lp()).toBe(lp);
    expect(provider.held()).toEqual(before.map((units, side) => units - need[side]!));
    expect(provider.pool).toMatchObject({
      reserves: reserves.map((units, side) => units + need[side]!),
      lpSupply: lpSupply + lp,
    });
    expect(provider.minted()).toBe(minted + lp);
  });

  it.each([0, 1])('refuses a deposit one unit above the maximum of side %i', (side) => {
    const { reserves, lpSupply } = provider.pool;
    const need = reserves.map((reserve) => up(99_999n, reserve, lpSupply)) as [bigint, bigint];
    need[side] = need[side]! - 1n;
    expect(provider.deposit(99_999n, ...need)).toEqual(custom(6005));
    expect(provider.lp()).toBe(0n);
  });

  it('pays a withdrawal rounded down and burns the LP units', () => {
    expect(provider.deposit(1_000_000n, MOST, MOST)).toBeNull();
    const { reserves, lpSupply } = provider.pool;
    const before = provider.held();
    const out = reserves.map((reserve) => (777_777n * reserve) / lpSupply) as [bigint, bigint];
    expect(provider.withdraw(777_777n, out[0] + 1n, 0n)).toEqual(custom(6005));
    expect(provider.withdraw(777_777n, 0n, out[1] + 1n)).toEqual(custom(6005));
    expect(provider.withdraw(777_777n, ...out)).toBeNull();
    expect(provider.held()).toEqual(before.map((units, side) => units + out[side]!));
    expect(provider.lp()).toBe(222_223n);
    expect(provider.pool.lpSupply).toBe(lpSupply - 777_777n);
    expect(provider.minted()).toBe(provider.pool.lpSupply - 100n);
  });

  it('refuses what would move no token on a side', async () => {
    expect(provider.deposit(0n, MOST, MOST)).toEqual(custom(6006));
    expect(provider.deposit(1n, MOST, MOST)).toEqual(custom(6006));
    const thin = await makeProvider(['JUP', 'USDC'], [4_000_000n, 100n]);
    expect(thin.deposit(150n, MOST, MOST)).toEqual(custom(6006));
    expect(thin.deposit(200n, MOST, MOST)).toBeNull();
    expect(thin.withdraw(1n, 0n, 0n)).toEqual(custom(6006));
  });

  it.each([
    [1, custom(6000), null, null],
    [2, null, custom(6000), null],
    [4, null, null, custom(6000)],
    [7, custom(6000), custom(6000), custom(6000)],
  ])('turns off what status %i says', (status, deposit, withdraw, swap) => {
    expect(provider.deposit(5_000n, MOST, MOST)).toBeNull();
    world.liquidity.change(provider.pool, { status });
    expect(provider.deposit(1_000n, MOST, MOST)).toEqual(deposit);
    expect(provider.withdraw(1_000n, 0n, 0n)).toEqual(withdraw);
    expect(provider.swap(0, 10_000n)).toEqual(swap);
  });

  it('lets only swaps wait for the opening', async () => {
    const openTime = BigInt(Math.floor(world.chain.clock.nowMs() / 1_000) + 1_000);
    world.liquidity.change(provider.pool, { openTime });
    expect(provider.deposit(5_000n, MOST, MOST)).toBeNull();
    expect(provider.withdraw(5_000n, 0n, 0n)).toBeNull();
    expect(provider.swap(1, 10_000n)).toEqual(custom(6000));
    world.chain.advanceClock(1_001_000);
    expect(provider.swap(1, 10_000n)).toBeNull();
  });

  it.each([0, 1] as const)('swaps from side %i and keeps the fees of protocol and fund apart', (side) => {
    const { reserves } = provider.pool;
    const [reserve, other] = [reserves[side], reserves[1 - side]!];
    const amount = 12_345_678n;
    const fee = up(amount, 2_500n, 1_000_000n);
    const [protocol, fund] = [(fee * 120_000n) / 1_000_000n, (fee * 40_000n) / 1_000_000n];
    const out = (other * (amount - fee)) / (reserve + amount - fee);
    expect(provider.swap(side, amount, out + 1n)).toEqual(custom(6005));
    const before = provider.held();
    expect(provider.swap(side, amount, out)).toBeNull();
    const after = provider.held();
    expect([before[side] - after[side], after[1 - side]! - before[1 - side]!]).toEqual([amount, out]);
    const { pool } = provider;
    expect([pool.protocolFees[side], pool.fundFees[side]]).toEqual([protocol, fund]);
    expect([pool.protocolFees[1 - side], pool.fundFees[1 - side]]).toEqual([0n, 0n]);
    expect(pool.reserves[side]).toBe(reserve + amount - protocol - fund);
    expect(provider.vaults()[side]).toBe(reserve + amount);
  });

  it('adds the inverse transfer fee to a deposit and leaves the fee out of a withdrawal', async () => {
    const taxed = await makeProvider(['TAXED', 'NEWER'], [2_000_000_011n, 500_000_009n]);
    const side = taxed.pool.mints.indexOf(world.tokens.find('TAXED')!.mint);
    const { reserves, lpSupply } = taxed.pool;
    const lp = 333_333n;
    const most = reserves.map((reserve) => up(lp, reserve, lpSupply)) as [bigint, bigint];
    const need = most[side]!;
    const sent = up(need, 10_000n, 9_750n);
    most[side] = need + up(sent, 250n, 10_000n);
    const less = [...most] as [bigint, bigint];
    less[side] = less[side]! - 1n;
    expect(taxed.deposit(lp, ...less)).toEqual(custom(6005));
    const before = taxed.held();
    expect(taxed.deposit(lp, ...most)).toBeNull();
    expect(taxed.held()).toEqual(before.map((units, index) => units - most[index]!));
    expect(taxed.pool.reserves[side]).toBeGreaterThanOrEqual(reserves[side]! + need);

    const out = taxed.pool.reserves.map((reserve) => (lp * reserve) / taxed.pool.lpSupply) as [bigint, bigint];
    const net = [...out] as [bigint, bigint];
    net[side] = out[side]! - up(out[side]!, 250n, 10_000n);
    const tooMuch = [...net] as [bigint, bigint];
    tooMuch[side] = net[side] + 1n;
    expect(taxed.withdraw(lp, ...tooMuch)).toEqual(custom(6005));
    const held = taxed.held();
    expect(taxed.withdraw(lp, ...net)).toBeNull();
    expect(taxed.held()).toEqual(held.map((units, index) => units + net[index]!));
  });

  it('swaps what arrives of a taxed input, and less arrives of a taxed output', async () => {
    const taxed = await makeProvider(['TAXED', 'NEWER'], [2_000_000_011n, 500_000_009n]);
    const side = taxed.pool.mints.indexOf(world.tokens.find('TAXED')!.mint) === 0 ? 0 : 1;
    for (const from of [side, 1 - side] as Array<0 | 1>) {
      const { reserves } = taxed.pool;
      const arrived = from === side ? 1_000_001n - up(1_000_001n, 250n, 10_000n) : 1_000_001n;
      const net = arrived - up(arrived, 2_500n, 1_000_000n);
      const out = (reserves[1 - from]! * net) / (reserves[from] + net);
      const received = from === side ? out : out - up(out, 250n, 10_000n);
      expect(taxed.swap(from, 1_000_001n, received + 1n)).toEqual(custom(6005));
      const before = taxed.held();
      expect(taxed.swap(from, 1_000_001n, received)).toBeNull();
      expect(taxed.held()[1 - from]! - before[1 - from]!).toBe(received);
    }
  });

  it('pays a withdrawal to the accounts of a stranger', () => {
    expect(provider.deposit(50_000n, MOST, MOST)).toBeNull();
    const call = provider.instruction('withdraw', { lp: 50_000n, bounds: [0n, 0n] });
    const theirs = provider.pool.mints.map((mint) => world.ataOf(stranger.publicKey, keyText(mint)));
    const before = theirs.map((account) => provider.amountAt(account));
    theirs.forEach((pubkey, side) => (call.keys[4 + side] = { ...call.keys[4 + side]!, pubkey }));
    expect(provider.run(call)).toBeNull();
    theirs.forEach((account, side) => expect(provider.amountAt(account)).toBeGreaterThan(before[side]!));
  });

  it.each([
    ['LP tokens of another wallet', 3, () => usdcOfStranger(), 2015],
    ['tokens of another wallet', 4, () => accountOfStranger(0), 2015],
    ['tokens of another mint', 4, () => accountOfStranger(1), 2014],
    ['the vault of another pool', 6, () => text(twin().vaults[0]), 2003],
    ['the mint of the other side', 10, () => text(provider.pool.mints[1]), 2012],
    ['another LP mint', 12, () => text(twin().lpMint), 6004],
    ['another authority', 1, () => stranger.publicKey, 2006],
    ['a pool of another program', 2, () => text(lookAlike().address), 3007],
    ['another account of the program', 2, () => text(FEE_TIERS[0].address), 3002],
    ['another token program', 8, () => text(key('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')), 3008],
  ] as const)('refuses a deposit with %s', (_name, index, account, code) => {
    const call = provider.instruction('deposit', { lp: 1_000n, bounds: [MOST, MOST] });
    call.keys[index] = { ...call.keys[index]!, pubkey: account() };
    expect(provider.run(call)).toEqual(custom(code));
    expect(provider.lp()).toBe(0n);
  });

  it('refuses a withdrawal without the memo program', () => {
    expect(provider.deposit(5_000n, MOST, MOST)).toBeNull();
    const call = provider.instruction('withdraw', { lp: 1_000n, bounds: [0n, 0n] });
    const memo = call.keys.pop()!;
    expect(provider.run(call)).toEqual(custom(3005));
    call.keys.push({ ...memo, pubkey: text(provider.pool.config) });
    expect(provider.run(call)).toEqual(custom(2012));
    call.keys[13] = memo;
    expect(provider.run(call)).toBeNull();
  });

  it('refuses a deposit that the owner did not sign', () => {
    const call = provider.instruction('deposit', { lp: 1_000n, bounds: [MOST, MOST] });
    call.keys[0] = { pubkey: stranger.publicKey, isSigner: false, isWritable: false };
    expect(provider.run(call)).toEqual(custom(3010));
  });

  it('refuses a swap with one vault on both sides, or the config of another tier', () => {
    const twice = provider.swapCall(0, 1_000n);
    twice.keys[7] = twice.keys[6]!;
    twice.keys[11] = twice.keys[10]!;
    expect(provider.run(twice)).toEqual(custom(6008));
    const cheap = provider.swapCall(0, 1_000n);
    cheap.keys[2] = { ...cheap.keys[2]!, pubkey: text(FEE_TIERS[1].address) };
    expect(provider.run(cheap)).toEqual(custom(2012));
  });

  it('refuses to burn more than the wallet has', () => {
    expect(provider.deposit(1_000n, MOST, MOST)).toBeNull();
    expect(provider.withdraw(1_001n, 0n, 0n)).toEqual(custom(1));
  });

  const text = (at: Key): PublicKey => new PublicKey(keyText(at));
  const twin = (): PoolState => makePool(['JUP', 'USDC'], [1_000n, 1_000n]);
  const lookAlike = (): PoolState => makePool(['JUP', 'USDC'], [1_000n, 1_000n], { program: maker });
  const accountOfStranger = (side: 0 | 1): PublicKey =>
    world.ataOf(stranger.publicKey, keyText(provider.pool.mints[side]));
  const usdcOfStranger = (): PublicKey => world.ataOf(stranger.publicKey, mintOf('USDC'));
});
