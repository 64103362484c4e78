import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from './testing/fake-clock.js';
import { startTokenServer, type TokenServer } from './testing/token-server.js';
import { openVerifiedTokens, type VerifiedTokens } from './verified-tokens.js';

const MINT = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R';
const OTHER = 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE';
const PYTH = { id: MINT, symbol: 'PYTH', name: 'Pyth Network', decimals: 6, isVerified: true };
const HOUR_MS = 3_600_000;
const BY = { agentId: 'one' };
const FOUND = { mint: MINT, symbol: 'PYTH', name: 'Pyth Network', decimals: 6 };

let server: TokenServer;
let clock: FakeClock;
let tokens: VerifiedTokens;

beforeEach(async () => {
  server = await startTokenServer();
  clock = new FakeClock();
  tokens = openVerifiedTokens({ baseUrl: server.url, clock, timeoutMs: 5_000 });
});
afterEach(() => server.close());

describe('a token by its symbol', () => {
  it('is the one verified token with exactly that symbol, wherever it stands', async () => {
    server.body = [
      { ...PYTH, id: OTHER, symbol: 'PYTHON' },
      { ...PYTH, id: OTHER, isVerified: false },
      { ...PYTH, usdPrice: 0.1, tags: ['verified'], audit: { isSus: false } },
    ];
    expect(await tokens.bySymbol('PYTH', BY)).toEqual(FOUND);
  });

  it.each([
    ['a first hit that is another symbol', [{ ...PYTH, symbol: 'PYTH2' }]],
    ['another case', [{ ...PYTH, symbol: 'pyth' }]],
    ['an unverified one', [{ ...PYTH, isVerified: undefined }]],
    ['two verified ones', [PYTH, { ...PYTH, id: OTHER }]],
    ['one that is listed twice', [PYTH, PYTH]],
    ['nothing', []],
  ])('is unknown for %s', async (_, body) => {
    server.body = body;
    expect(await tokens.bySymbol('PYTH', BY)).toBeUndefined();
  });

  it.each(['', ' PYTH', 'PY\u0000TH', 'PYTH\u202e', 'x'.repeat(33)])(
    'is not even asked for when it is %j',
    async (text) => {
      expect(await tokens.bySymbol(text, BY)).toBeUndefined();
      expect(server.queries).toEqual([]);
    },
  );

  it('reaches the aggregator as it was written', async () => {
    server.body = [];
    await tokens.bySymbol('a&b=c,d', BY);
    expect(server.queries).toEqual(['a&b=c,d']);
  });
});

describe('a token by its mint', () => {
  it('has the name of exactly this mint', async () => {
    server.body = [{ ...PYTH, id: OTHER }, PYTH];
    expect(await tokens.byMint(MINT, BY)).toEqual(FOUND);
    server.body = [{ ...PYTH, id: OTHER }];
    clock.pass(HOUR_MS);
    expect(await tokens.byMint(MINT, BY)).toBeUndefined();
  });
});

describe('a hostile answer', () => {
  it.each([
    ['an id that is not an address', { id: 'IOl0' }],
    ['a name that turns the text around', { name: 'Pyth \u202eNetwork' }],
    ['a name with a line in it', { name: 'Pyth\nNetwork' }],
    ['a name without an end', { name: 'x'.repeat(101) }],
    ['a symbol that hides something', { symbol: 'PYTH\u200b' }],
    ['no name', { name: undefined }],
    ['decimals of a half', { decimals: 6.5 }],
    ['decimals below nothing', { decimals: -1 }],
    ['decimals as text', { decimals: '6' }],
    ['a word for verified', { isVerified: 'true' }],
  ])('with %s names nothing', async (_, over) => {
    server.body = [{ ...PYTH, ...over }];
    expect(await tokens.byMint(MINT, BY)).toBeUndefined();
  });

  it.each([['{}'], ['null'], ['[1'], ['']])('of %j is an error of the aggregator', async (raw) => {
    server.raw = raw;
    await expect(tokens.byMint(MINT, BY)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });

  it('without an end is not read', async () => {
    server.raw = `[${'0,'.repeat(1_000_000)}0]`;
    await expect(tokens.byMint(MINT, BY)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });

  it('is listened to for a hundred tokens', async () => {
    server.body = [...Array.from({ length: 100 }, () => ({ ...PYTH, id: OTHER })), PYTH];
    expect(await tokens.byMint(MINT, BY)).toBeUndefined();
  });
});

describe('look-ups', () => {
  it('keep a verified token for an hour, and no failure', async () => {
    server.raw = 'nonsense';
    await expect(tokens.byMint(MINT, BY)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    server.body = [PYTH];
    expect(await Promise.all([tokens.byMint(MINT, BY), tokens.byMint(MINT, BY)])).toEqual([FOUND, FOUND]);
    clock.pass(HOUR_MS - 1);
    expect(await tokens.byMint(MINT, BY)).toEqual(FOUND);
    expect(server.queries).toHaveLength(2);
    clock.pass(1);
    await tokens.byMint(MINT, BY);
    expect(server.queries).toHaveLength(3);
  });

  it('keep the absence of a verified token for ten minutes', async () => {
    server.body = [];
    await tokens.byMint(MINT, BY);
    server.body = [PYTH];
    clock.pass(HOUR_MS / 6 - 1);
    expect(await tokens.byMint(MINT, BY)).toBeUndefined();
    clock.pass(1);
    expect(await tokens.byMint(MINT, BY)).toEqual(FOUND);
  });

  it('leave the last calls of a minute to agents that had none', async () => {
    server.body = [PYTH];
    for (let i = 0; i < 6; i += 1) await tokens.bySymbol(`T${i}`, BY);
    await expect(tokens.bySymbol('T6', BY)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await tokens.byMint(MINT, { agentId: 'two' })).toEqual(FOUND);
    await expect(tokens.bySymbol('T7', { agentId: 'two' })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    clock.pass(60_000);
    expect(await tokens.bySymbol('T6', BY)).toBeUndefined();
  });

  it('for moving money have calls that no one else uses up', async () => {
    server.body = [PYTH];
    for (let i = 0; i < 10; i += 1) await tokens.bySymbol(`T${i}`, { agentId: `agent ${i}` });
    await expect(tokens.byMint(MINT, BY)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(server.queries).toHaveLength(10);
    expect(await tokens.byMint(MINT, { ...BY, isReal: true })).toEqual(FOUND);
  });
});
