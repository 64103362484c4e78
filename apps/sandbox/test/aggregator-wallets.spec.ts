import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  holdingsResponse,
  nativeHoldingsResponse,
  priceResponse,
  shieldResponse,
  tokensResponse,
} from '@agent-wallet/jupiter';
import { createInitializeAccount3Instruction, getMinimumBalanceForRentExemptAccount } from '@solana/spl-token';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { JUP, SOL, USDC } from './aggregator-client.js';
import { sendBlindly, signed } from './transactions.js';
import { USDC as USDC_MINT, World } from './world.js';

describe('what the aggregator says of wallets and tokens', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  const get = async (route: string): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(world.sandbox.aggregatorUrl + route);
    return { status: response.status, body: await response.json() };
  };

  const shield = async (...mints: string[]): Promise<Record<string, string[]>> => {
    const { warnings } = shieldResponse.parse((await get(`/ultra/v1/shield?mints=${mints.join(',')}`)).body);
    return Object.fromEntries(
      Object.entries(warnings).map(([mint, list]) => [mint, list.map(({ type, severity }) => `${type} ${severity}`)]),
    );
  };

  const mint = async (symbol: string, more: object): Promise<string> => {
    const { status, body } = await world.admin('POST', '/mints', { symbol, decimals: 4, ...more });
    expect([status, body]).toEqual([200, expect.anything()]);
    return body['mint']!;
  };

  it('shows native SOL and each token account', async () => {
    const wallet = await world.funded(['SOL', 2], ['USDC', 1.5]);
    const address = wallet.publicKey.toBase58();
    const second = Keypair.generate();
    const lamports = await getMinimumBalanceForRentExemptAccount(world.connection);
    const create = SystemProgram.createAccount({
      fromPubkey: wallet.publicKey,
      newAccountPubkey: second.publicKey,
      lamports,
      space: 165,
      programId: TOKEN_PROGRAM_ID,
    });
    const init = createInitializeAccount3Instruction(second.publicKey, USDC_MINT, wallet.publicKey);
    const transaction = await signed(world, wallet, create, init);
    transaction.sign([wallet, second]);
    await sendBlindly(world, transaction);
    const holdings = holdingsResponse.parse((await get(`/ultra/v1/holdings/${address}`)).body);
    expect(holdings.amount).toBe(BigInt(await world.connection.getBalance(wallet.publicKey)));
    expect(Object.keys(holdings.tokens)).toEqual([USDC]);
    const [own, extra] = holdings.tokens[USDC]!;
    expect(own).toMatchObject({
      amount: 1_500_000n,
      uiAmount: 1.5,
      uiAmountString: '1.5',
      decimals: 6,
      isFrozen: false,
      isAssociatedTokenAccount: true,
      programId: TOKEN_PROGRAM_ID.toBase58(),
    });
    expect(extra).toMatchObject({ account: second.publicKey.toBase58(), amount: 0n, isAssociatedTokenAccount: false });
    const native = (await get(`/ultra/v1/holdings/${address}/native`)).body;
    expect(nativeHoldingsResponse.parse(native).amount).toBe(holdings.amount);
    expect(native).not.toHaveProperty('tokens');
    expect((await get(`/ultra/v1/balances/${address}`)).body).toMatchObject({
      [USDC]: { amount: '1500000', uiAmount: 1.5 },
    });
  });

  it('knows an empty wallet, a frozen account, and no address but a real one', async () => {
    const nobody = Keypair.generate().publicKey.toBase58();
    const empty = holdingsResponse.parse((await get(`/ultra/v1/holdings/${nobody}`)).body);
    expect(empty).toEqual({ amount: 0n, uiAmount: 0, uiAmountString: '0', tokens: {} });
    expect((await get('/ultra/v1/holdings/nobody')).status).toBe(400);
  });

  it('has nothing serious to say of mainnet’s tokens', async () => {
    const found = await shield(SOL, USDC, JUP);
    expect(found[SOL]).toEqual([]);
    expect(found[JUP]).toEqual(['HAS_MINT_AUTHORITY info']);
    expect(found[USDC]).toEqual(['HAS_MINT_AUTHORITY info', 'HAS_FREEZE_AUTHORITY warning']);
  });

  it.each([
    ['PLAIN', {}, []],
    ['ICE', { freezeAuthority: true }, ['HAS_FREEZE_AUTHORITY warning']],
    ['GRAB', { extensions: ['permanentDelegate'] }, ['HAS_PERMANENT_DELEGATE critical']],
    ['STUCK', { extensions: ['nonTransferable'] }, ['NON_TRANSFERABLE critical']],
    ['TAX', { transferFeeBps: 250 }, ['2.5%_TRANSFER_FEES warning', 'MUTABLE_TRANSFER_FEES warning']],
    ['COLD', { extensions: ['defaultFrozen'] }, ['HAS_FREEZE_AUTHORITY warning']],
  ])('warns of %s, %j', async (symbol, order, warnings) => {
    const made = await mint(symbol, { program: 'token-2022', ...order });
    expect((await shield(made))[made]).toEqual(['NOT_VERIFIED info', 'HAS_MINT_AUTHORITY info', ...warnings]);
  });

  it('warns of a mint that does not exist, and of several at once', async () => {
    const nobody = Keypair.generate().publicKey.toBase58();
    expect(await shield(nobody, SOL)).toEqual({ [nobody]: ['NOT_VERIFIED warning'], [SOL]: [] });
    expect((await get('/ultra/v1/shield')).status).toBe(400);
  });

  it('answers prices and tokens as its schemas say', async () => {
    await mint('NEWEST', { program: 'token', usd: 0.000_001 });
    priceResponse.parse((await get(`/price/v3?ids=${SOL},${USDC},${JUP}`)).body);
    for (const query of ['NEWEST', 'SOL', USDC]) {
      expect(tokensResponse.parse((await get(`/tokens/v2/search?query=${query}`)).body).length).toBeGreaterThan(0);
    }
  });
});
