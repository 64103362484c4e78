import { silent } from '@agent-wallet/platform/testing';
import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { VerifiedToken, VerifiedTokens } from '@agent-wallet/prices';
import { TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { GetToken } from '../src/application/wallets/get-token.js';
import { FakeChain, REGISTRY } from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const AGENT = '01890000-0000-7000-8000-000000000001';
const SAFE = {
  ...{ freezeAuthority: null, mintAuthority: null, permanentDelegate: null, transferHook: null },
  ...{ transferFeeBps: 0, maxTransferFee: 0n, unsafeExtensions: [] },
};

/** An aggregator that says one thing of everything. */
class FakeTokens implements VerifiedTokens {
  says: VerifiedToken | Error | undefined;
  readonly asked: string[] = [];

  async byMint(mint: string) {
    this.asked.push(mint);
    if (this.says instanceof Error) throw this.says;
    return this.says;
  }

  bySymbol(symbol: string) {
    return this.byMint(symbol);
  }
}

let chain: FakeChain;
let tokens: FakeTokens;
let getToken: GetToken;

beforeEach(() => {
  chain = new FakeChain();
  tokens = new FakeTokens();
  getToken = new GetToken(chain, tokens, { registry: REGISTRY, logger: silent });
  chain.makeMint({ address: USDC, decimals: 6, tokenProgram: TOKEN_PROGRAM });
  chain.makeMint({ address: WRAPPED_SOL_MINT, decimals: 9, tokenProgram: TOKEN_PROGRAM });
});

describe('a token of the built-in list', () => {
  it.each([
    ['USDC', { mint: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 }],
    [USDC, { mint: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 }],
    ['SOL', { mint: WRAPPED_SOL_MINT, symbol: 'SOL', name: 'Solana', decimals: 9 }],
    [WRAPPED_SOL_MINT, { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', name: 'Wrapped SOL', decimals: 9 }],
  ])('%s is known without the aggregator', async (query, expected) => {
    tokens.says = new Error('away');
    expect(await getToken.execute(query, AGENT)).toEqual({ ...expected, isVerified: true, safety: SAFE });
    expect(tokens.asked).toEqual([]);
  });
});

describe('any other token', () => {
  it('has the name that the aggregator vouches for, and the decimals of the chain', async () => {
    const mint = chain.makeMint();
    tokens.says = { mint, symbol: 'PYTH', name: 'Pyth Network', decimals: 6 };
    const expected = { mint, symbol: 'PYTH', name: 'Pyth Network', decimals: 6, isVerified: true, safety: SAFE };
    expect(await getToken.execute(mint, AGENT)).toEqual(expected);
    expect(await getToken.execute('PYTH', AGENT)).toEqual(expected);
  });

  it.each([
    ['knows nothing', () => undefined],
    ['is away', () => new Error('away')],
    ['speaks of another mint', () => ({ mint: newAddress(), symbol: 'PYTH', name: 'Pyth', decimals: 6 })],
    ['has other decimals than the chain', (mint: string) => ({ mint, symbol: 'PYTH', name: 'Pyth', decimals: 9 })],
    ['calls it USDC', (mint: string) => ({ mint, symbol: 'USDC', name: 'USD Coin', decimals: 6 })],
    ['calls it usdc', (mint: string) => ({ mint, symbol: 'usdc', name: 'USD Coin', decimals: 6 })],
  ])('is shown by its mint when the aggregator %s', async (_, says) => {
    const mint = chain.makeMint();
    tokens.says = says(mint);
    expect(await getToken.execute(mint, AGENT)).toMatchObject({ symbol: mint, name: mint, isVerified: false });
    if (tokens.says instanceof Error) await expect(getToken.execute('PYTH', AGENT)).rejects.toBe(tokens.says);
    else await expect(getToken.execute('PYTH', AGENT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['', 'usdx', 'nonsense', newAddress()])('%j is not found where there is none', async (query) => {
    await expect(getToken.execute(query, AGENT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('tells what its mint lets others do', async () => {
    const [delegate, hook, issuer] = [newAddress(), newAddress(), newAddress()];
    const older = { epoch: 0n, basisPoints: 100, maximumFee: 5_000n };
    const mint = chain.makeMint({
      extensions: ['transferFeeConfig', 'permanentDelegate', 'transferHook', 'defaultAccountState', 'unknown:99'],
      ...{ permanentDelegate: delegate, transferHook: hook, mintAuthority: issuer, freezeAuthority: issuer },
      ...{ accountsBeginFrozen: false, transferFee: { older, newer: { ...older, epoch: 11n, basisPoints: 0 } } },
    });
    const { safety } = await getToken.execute(mint, AGENT);
    expect(safety).toEqual({
      ...{ freezeAuthority: issuer, mintAuthority: issuer, permanentDelegate: delegate, transferHook: hook },
      ...{ transferFeeBps: 100, maxTransferFee: 5_000n },
      unsafeExtensions: ['permanentDelegate', 'transferHook', 'unknown:99'],
    });
    chain.epoch = 11;
    expect((await getToken.execute(mint, AGENT)).safety).toMatchObject({ transferFeeBps: 0, maxTransferFee: 0n });
  });
});
