import { AppError, type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenRecord } from '../src/api/schemas/wallet-records.js';
import type { Client } from './client.js';
import { ADDRESS, RECIPIENT, TOKEN, USDC } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  ({ client } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const SHOWN = {
  mint: USDC,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  verified: true,
  safety: {
    freezeAuthority: ADDRESS,
    mintAuthority: RECIPIENT,
    permanentDelegate: null,
    transferHook: null,
    transferFeeBps: 0,
    maxTransferFeeRaw: '0',
    unsafeExtensions: [],
  },
};

/** Lets the wallet know everything by one token, and says what it was asked. */
function walletKnows(token = TOKEN): string[] {
  const asked: string[] = [];
  world.script.wallet.getToken = async ({ query }) => {
    asked.push(query);
    return token;
  };
  return asked;
}

describe('GET /tokens/{query}', () => {
  it('tells what a token is, and who has power over it', async () => {
    const answer = await client.get('/tokens/USDC');
    expect(answer.body).toEqual({ status: true, statusCode: 200, message: expect.any(String), data: SHOWN });
    expect(tokenRecord.safeParse(answer.body.data).error).toBeUndefined();
  });

  it('tells a dangerous one', async () => {
    const safety = {
      freezeAuthority: '',
      mintAuthority: '',
      permanentDelegate: RECIPIENT,
      transferHook: USDC,
      transferFeeBps: 250,
      maxTransferFee: 18_446_744_073_709_551_615n,
      unsafeExtensions: ['permanentDelegate', 'transferHook'],
    };
    walletKnows({ ...TOKEN, verified: false, safety });
    expect((await client.get(`/tokens/${USDC}`)).body.data).toEqual({
      ...SHOWN,
      verified: false,
      safety: {
        ...safety,
        freezeAuthority: null,
        mintAuthority: null,
        maxTransferFee: undefined,
        maxTransferFeeRaw: '18446744073709551615',
      },
    });
  });

  it('asks the wallet for what was written, percent-encoded or not', async () => {
    const asked = walletKnows();
    for (const query of ['usdc', USDC, '%24WIF', 'a%20b', 'x'.repeat(64)]) await client.get(`/tokens/${query}`);
    expect(asked).toEqual(['usdc', USDC, '$WIF', 'a b', 'x'.repeat(64)]);
  });

  it.each(['NOPE', '%00', '%E2%80%8B', 'x'.repeat(65), 'x'.repeat(2_000)])('knows no %s', async (query) => {
    expectFailure(await client.get(`/tokens/${query}`), 404, 'NOT_FOUND');
  });

  it('takes no query, no body, and one method', async () => {
    expectFailure(await client.get('/tokens/USDC?full=1'), 400, 'VALIDATION_ERROR');
    expectFailure(await client.get('/tokens'), 404, 'NOT_FOUND');
    expectFailure(await client.get('/tokens/a/b'), 404, 'NOT_FOUND');
    expectFailure(await client.post('/tokens/USDC', {}), 405, 'METHOD_NOT_ALLOWED');
    expectFailure(await world.client.get('/tokens/USDC'), 401, 'AUTHENTICATION_ERROR');
  });

  it.each<ErrorCode>(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'SERVICE_UNAVAILABLE'])('answers %s', async (code) => {
    world.script.wallet.getToken = async () => {
      throw AppError.received(code, { message: 'node 10.0.0.7 said no' });
    };
    const answer = await client.get('/tokens/USDC');
    expectFailure(answer, errorEntry(code).http, code);
    expect(answer.text).not.toContain('10.0.0.7');
  });

  it('says when to try again when all agents together have looked up too many', async () => {
    world.script.wallet.getToken = async () => {
      throw new AppError('RATE_LIMIT_EXCEEDED', { data: { scope: 'upstream' } });
    };
    const answer = await client.get('/tokens/USDC');
    expectFailure(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers['retry-after']).toBe('60');
  });

  it('answers 503 when the wallet is away', async () => {
    await world.services.wallet.kill();
    expectFailure(await client.get('/tokens/USDC'), 503, 'SERVICE_UNAVAILABLE');
  });
});
