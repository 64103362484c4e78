import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import { World } from './world.js';

const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const YEAR_SECONDS = 31_556_736;

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Makes a token and sends some of it to a new wallet; returns what reads its balance as nodes show it. */
async function holding(order: Record<string, unknown>, amount: number) {
  const { body } = await world.admin('POST', '/mints', { decimals: 6, program: 'token-2022', ...order });
  const wallet = await world.funded([body['mint']!, amount]);
  return async () => {
    const { value } = await world.connection.getParsedTokenAccountsByOwner(wallet.publicKey, { programId: TOKEN_2022 });
    return value[0]!.account.data.parsed.info.tokenAmount as unknown;
  };
}

describe('a token amount as the node shows it', () => {
  it.each([
    [10, 1.5, '15'],
    [0.5, 3, '1.5'],
    [1.25, 0.000_003, '0.000003'],
    [1 / 3, 1, '0.333333'],
  ])('is multiplied by the mint’s multiplier %s', async (uiMultiplier, amount, uiAmountString) => {
    const read = await holding({ symbol: `X${uiAmountString}`, uiMultiplier }, amount);
    const raw = String(amount * 1e6);
    expect(await read()).toEqual({ amount: raw, decimals: 6, uiAmount: Number(uiAmountString), uiAmountString });
  });

  it('grows with the mint’s interest', async () => {
    const read = await holding({ symbol: 'BOND', interestRateBps: 500 }, 100);
    await world.admin('POST', '/clock', { advanceSeconds: YEAR_SECONDS });
    const { amount, uiAmount } = (await read()) as { amount: string; uiAmount: number };
    expect(amount).toBe('100000000');
    // e^0.05: interest is compounded without a pause.
    expect(uiAmount).toBeCloseTo(105.127, 2);
  });

  it('names multiplier and interest among the mint’s extensions', async () => {
    const { body } = await world.admin('POST', '/mints', {
      symbol: 'SPLIT',
      decimals: 6,
      program: 'token-2022',
      uiMultiplier: 2.5,
    });
    const { value } = await world.connection.getParsedAccountInfo(new PublicKey(body['mint']!));
    const state = { multiplier: '2.5', newMultiplier: '2.5' };
    expect(value!.data).toMatchObject({
      parsed: { info: { extensions: [{ extension: 'scaledUiAmountConfig', state: expect.objectContaining(state) }] } },
    });
  });
});

describe('POST /faucet', () => {
  it('fills wallets with a token of 18 decimals up to what 64 bits hold', async () => {
    const { body } = await world.admin('POST', '/mints', { symbol: 'WEI', decimals: 18, program: 'token' });
    const wallet = await world.funded([body['mint']!, 15]);
    expect(await world.raw(wallet.publicKey, body['mint']!)).toBe(15n * 10n ** 18n);
    const more = { address: wallet.publicKey.toBase58(), token: 'WEI', amount: 4 };
    expect((await world.admin('POST', '/faucet', more)).status).toBe(422);
  });
});

describe('POST /mints', () => {
  it.each([
    [{ program: 'token', uiMultiplier: 2 }, 'token-2022'],
    [{ program: 'token', interestRateBps: 1 }, 'token-2022'],
    [{ program: 'token-2022', uiMultiplier: 0 }, 'uiMultiplier'],
    [{ program: 'token-2022', interestRateBps: 40_000 }, 'interestRateBps'],
    [{ program: 'token-2022', uiMultiplier: 2, interestRateBps: 1 }, 'not both'],
  ])('refuses %j', async (order, text) => {
    const { status, body } = await world.admin('POST', '/mints', { symbol: 'BAD', decimals: 6, ...order });
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: expect.stringContaining(text) });
  });
});
