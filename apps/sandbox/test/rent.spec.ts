import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { temporaryDir, World } from './world.js';

const MAINNET_RATE = 3_480;
const data = temporaryDir();
let world: World;

beforeAll(async () => {
  world = await World.start({ SANDBOX_DATA_DIR: data.dir });
});
afterAll(async () => {
  await world.stop();
  data.remove();
});

const setRent = (lamportsPerByteYear: unknown) => world.admin('POST', '/rent', { lamportsPerByteYear });

/** Sends lamports to a new wallet, and returns the chain's error. */
async function payNewWallet(lamports: number): Promise<unknown> {
  const payer = await world.funded(['SOL', 1]);
  const transaction = await signed(world, payer, transfer(payer, Keypair.generate().publicKey, lamports));
  return (await statusOf(world, await sendBlindly(world, transaction)))!.err;
}

describe('POST /rent', () => {
  it('changes what the chain requires of an account, and survives a restart', async () => {
    expect(await payNewWallet(890_880)).toBeNull();
    expect(await payNewWallet(890_879)).toMatchObject({ InsufficientFundsForRent: {} });
    expect((await setRent(MAINNET_RATE / 2)).body).toEqual({
      lamportsPerByteYear: 1_740,
      emptyAccountLamports: 445_440,
    });
    expect(await world.connection.getMinimumBalanceForRentExemption(165)).toBe(1_019_640);
    expect(await payNewWallet(445_440)).toBeNull();
    await world.stop();
    world = await World.start({ SANDBOX_DATA_DIR: data.dir });
    expect(await world.connection.getMinimumBalanceForRentExemption(0)).toBe(445_440);
    await setRent(MAINNET_RATE * 2);
    expect(await payNewWallet(890_880)).toMatchObject({ InsufficientFundsForRent: {} });
  });

  it.each([-1, 1.5, '3480', 1_000_001, null])('refuses the rate %j', async (rate) => {
    expect((await setRent(rate)).status).toBe(400);
  });
});
