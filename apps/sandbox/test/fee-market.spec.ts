import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ComputeBudgetProgram, Keypair, type VersionedTransaction } from '@solana/web3.js';
import { slotPrice } from '../src/chain/fee-market.js';
import { Integrator, MAKER, POOLS, SOL, USDC } from './aggregator-client.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { temporaryDir, World } from './world.js';

const PRICE = 123_457;
const UNITS = 1_001;
const PAID = 10_000_000;
/** Longer than blockhashes live. */
const BLOCKHASH_LIFE_SECONDS = 61;
const SLOT_SECONDS = 0.4;

const data = temporaryDir();
let world: World;
let alice: Keypair;

beforeAll(async () => {
  world = await World.start({ SANDBOX_DATA_DIR: data.dir });
  alice = await world.funded(['SOL', 100]);
});
afterEach(() => setMarket({}));
afterAll(async () => {
  await world.stop();
  data.remove();
});

async function setMarket(settings: Record<string, unknown>): Promise<number> {
  const { status, body } = await world.admin('POST', '/fee-market', settings);
  expect(status).toBe(200);
  return body['fromSlot']!;
}

const advance = (advanceSeconds: number) => world.admin('POST', '/clock', { advanceSeconds });

/** Restarts the sandbox on the same data. A slot of a minute leaves every next slot to `advance`. */
async function restart(slotMs: number): Promise<void> {
  await world.stop();
  world = await World.start({ SANDBOX_DATA_DIR: data.dir, SANDBOX_SLOT_MS: String(slotMs) });
}

/** A payment that offers a price for each compute unit. */
function payment(microLamports: number): Promise<VersionedTransaction> {
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: UNITS }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
  ];
  return signed(world, alice, ...budget, transfer(alice, Keypair.generate().publicKey, PAID));
}

const sendOffer = async (microLamports: number) => sendBlindly(world, await payment(microLamports));
const lamports = () => world.raw(alice.publicKey, 'SOL');
const cost = (microLamports: number) => BigInt(PAID + 5_000 + Math.ceil((microLamports * UNITS) / 1e6));

describe('getRecentPrioritizationFees', () => {
  const fees = async (addresses?: unknown) => {
    const { result } = await world.rpc('getRecentPrioritizationFees', addresses === undefined ? [] : [addresses]);
    return result! as Array<{ slot: number; prioritizationFee: number }>;
  };

  it('in a quiet market, returns zero for each of the last 150 slots, oldest first', async () => {
    await advance(BLOCKHASH_LIFE_SECONDS);
    const listed = await fees();
    const newest = listed.at(-1)!.slot;
    expect(listed).toEqual(Array.from({ length: 150 }, (_, i) => ({ slot: newest - 149 + i, prioritizationFee: 0 })));
    expect(await world.connection.getSlot('processed')).toBeGreaterThanOrEqual(newest);
    expect((await world.connection.getRecentPrioritizationFees())[0]).toMatchObject({ prioritizationFee: 0 });
  });

  it('returns each slot’s price from the change on, and earlier slots as they were', async () => {
    await advance(BLOCKHASH_LIFE_SECONDS);
    const settings = { priceMicroLamports: 10_000, spreadPercent: 50, seed: 7 };
    const from = await setMarket(settings);
    await advance(20);
    const until = await setMarket({});
    await advance(10);
    const listed = await fees([alice.publicKey.toBase58()]);
    const expected = ({ slot }: { slot: number }) => (slot >= from && slot < until ? slotPrice(settings, slot) : 0);
    expect(listed.map(({ prioritizationFee }) => prioritizationFee)).toEqual(listed.map(expected));
    expect(listed.filter(({ prioritizationFee }) => prioritizationFee > 0).length).toBeGreaterThanOrEqual(50);
  });

  it('takes 128 addresses at most, and only addresses', async () => {
    const addresses = Array.from({ length: 129 }, () => alice.publicKey.toBase58());
    expect(await fees(addresses.slice(1))).toHaveLength(150);
    for (const wrong of [addresses, ['no-address'], [1], 'no-address']) {
      const { error } = await world.rpc('getRecentPrioritizationFees', [wrong]);
      expect(error).toMatchObject({ code: -32602 });
    }
  });
});

describe('a transaction in a fee market', () => {
  it.each([PRICE, PRICE + 1])('lands at once with an offer of %d, and pays exactly its fee', async (offer) => {
    await setMarket({ priceMicroLamports: PRICE });
    const before = await lamports();
    const transaction = await payment(offer);
    const fee = 5_000 + Math.ceil((offer * UNITS) / 1e6);
    expect((await world.connection.getFeeForMessage(transaction.message)).value).toBe(fee);
    const signature = await sendBlindly(world, transaction);
    expect(await statusOf(world, signature)).toMatchObject({ err: null });
    expect(before - (await lamports())).toBe(BigInt(PAID + fee));
    const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta!.fee).toBe(fee);
  });

  it('below the price, waits however often it is sent, and lands once when the price falls', async () => {
    await setMarket({ priceMicroLamports: PRICE });
    const before = await lamports();
    const transaction = await payment(PRICE - 1);
    const signature = await world.connection.sendTransaction(transaction);
    await sendBlindly(world, transaction);
    expect(await world.connection.sendTransaction(transaction)).toBe(signature);
    await advance(1);
    expect((await world.admin('POST', '/chain/land', {})).body).toEqual({ landed: 0 });
    expect(await statusOf(world, signature)).toBeNull();
    expect(await lamports()).toBe(before);
    await setMarket({ priceMicroLamports: PRICE - 1 });
    expect(await statusOf(world, signature)).toMatchObject({ err: null });
    await sendBlindly(world, transaction);
    expect(before - (await lamports())).toBe(cost(PRICE - 1));
  });

  it('without a price of its own, offers nothing', async () => {
    await setMarket({ priceMicroLamports: 1 });
    const signature = await sendBlindly(world, await signed(world, alice, transfer(alice, alice.publicKey, 1)));
    expect(await statusOf(world, signature)).toBeNull();
    await setMarket({});
    expect(await statusOf(world, signature)).toMatchObject({ err: null });
  });

  it('below the price until its blockhash expires, is gone without a trace', async () => {
    await setMarket({ priceMicroLamports: PRICE });
    const before = await lamports();
    const transaction = await payment(PRICE - 1);
    const signature = await sendBlindly(world, transaction);
    await advance(BLOCKHASH_LIFE_SECONDS);
    await setMarket({});
    await sendBlindly(world, transaction);
    expect(await statusOf(world, signature)).toBeNull();
    expect(await lamports()).toBe(before);
  });

  it('below the price, still waits after a restart', async () => {
    await setMarket({ priceMicroLamports: PRICE });
    const signature = await sendOffer(PRICE - 1);
    await restart(0);
    expect(await statusOf(world, signature)).toBeNull();
    await setMarket({});
    expect(await statusOf(world, signature)).toMatchObject({ err: null });
  });
});

describe('the sandbox’s own transactions', () => {
  it('land at any price: faucet, airdrop and trades of the aggregator', async () => {
    await setMarket({ priceMicroLamports: 1_000_000_000_000 });
    const wallet = await world.funded(['SOL', 10], ['USDC', 100]);
    const { result } = await world.rpc('requestAirdrop', [wallet.publicKey.toBase58(), 1_000_000_000]);
    expect(await statusOf(world, result!)).toMatchObject({ err: null });
    for (const routers of [POOLS, MAKER]) {
      const order = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000, ...routers };
      expect(await new Integrator(world).trade(wallet, order)).toMatchObject({ status: 'Success' });
    }
  });
});

describe('with slots of their own time', () => {
  beforeAll(() => restart(60_000));

  it('a transaction waits for the first slot whose price it pays', async () => {
    const settings = { priceMicroLamports: 10_000, spreadPercent: 50, seed: 3 };
    const from = await setMarket(settings);
    const next = Array.from({ length: 20 }, (_, i) => ({ slot: from + i, price: slotPrice(settings, from + i) }));
    const cheapest = next.reduce((best, each) => (each.price < best.price ? each : best));
    const signature = await sendOffer(cheapest.price);
    for (let slot = from; slot < cheapest.slot; slot++) {
      await advance(SLOT_SECONDS);
      expect(await statusOf(world, signature)).toBeNull();
    }
    await advance(SLOT_SECONDS);
    expect(await statusOf(world, signature)).toMatchObject({ slot: cheapest.slot, err: null });
  });

  it('a lower price applies from the next slot on', async () => {
    await setMarket({ priceMicroLamports: PRICE });
    const signature = await sendOffer(PRICE - 1);
    await advance(SLOT_SECONDS);
    const slot = await setMarket({ priceMicroLamports: PRICE - 1 });
    await world.admin('POST', '/chain/land', {});
    expect(await statusOf(world, signature)).toBeNull();
    await advance(SLOT_SECONDS);
    expect(await statusOf(world, signature)).toMatchObject({ slot, err: null });
  });

  it('the faucet pours at any price', async () => {
    await setMarket({ priceMicroLamports: PRICE });
    let isDone = false;
    const poured = world.funded(['SOL', 1]).finally(() => (isDone = true));
    await eventually(async () => {
      await advance(SLOT_SECONDS);
      return isDone;
    });
    expect(await world.raw((await poured).publicKey, 'SOL')).toBe(1_000_000_000n);
  });
});

describe('POST /fee-market', () => {
  it('returns the settings and the first slot that they price', async () => {
    const settings = { priceMicroLamports: 5, spreadPercent: 12.5, seed: -4 };
    const { body } = await world.admin('POST', '/fee-market', settings);
    const head = await world.connection.getSlot('processed');
    expect(body).toEqual({ ...settings, fromSlot: expect.any(Number) });
    expect(body['fromSlot']! - head).toBeLessThanOrEqual(1);
    expect((await world.admin('POST', '/fee-market', {})).body).toMatchObject({ priceMicroLamports: 0 });
  });

  it.each([
    ['priceMicroLamports', -1],
    ['priceMicroLamports', 1.5],
    ['priceMicroLamports', '1000'],
    ['priceMicroLamports', 1_000_000_000_001],
    ['spreadPercent', -1],
    ['spreadPercent', 100.5],
    ['seed', 0.5],
    ['price', 1],
  ])('rejects a %s of %j, and names the field', async (field, value) => {
    const { status, body } = await world.admin('POST', '/fee-market', { [field]: value });
    expect(status).toBe(400);
    expect(body['error']).toContain(field);
  });
});
