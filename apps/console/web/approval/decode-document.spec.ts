import { describe, expect, it } from '@jest/globals';
import { canonicalJson, type PlainJson } from './canonical-json.js';
import { checkLoginDocument, decodeDocument, signingProblem, UnknownDocument } from './decode-document.js';

const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
const ADDRESS = 'So11111111111111111111111111111111111111112';
const NONCE = 'n'.repeat(43);
type Fields = { [name: string]: PlainJson };

const COMMON: Fields = {
  type: 'agent-wallet.approval.v1',
  id: ID,
  origin: 'http://localhost:8381',
  owner: ID,
  agent: ID,
  nonce: NONCE,
  threshold: '1',
  askedAt: '2026-11-26T12:00:00.000Z',
  expiresAt: '2026-11-27T12:00:00.000Z',
  policyVersion: '3',
};
const TRANSFER: Fields = {
  recipient: ADDRESS,
  mint: 'native',
  amount: '2000000',
  decimals: '9',
  maxFee: '0',
  createsAccount: 'false',
  memo: 'rent',
  trust: 'once',
};
const OPERATION: Fields = {
  ...COMMON,
  kind: 'operation',
  action: 'transfer',
  operation: ID,
  wallet: ADDRESS,
  valueUsd: '2.000001',
  reasons: ['above_amount'],
  terms: TRANSFER,
};
const POLICY: Fields = {
  ...{ maxSingleTransactionInUsd: '100', dailyLimitInUsd: '500', allowedRecipients: [], allowTrading: 'true' },
  ...{ allowLiquidityProvision: 'true', allowPredictionMarkets: 'true', sessionExpirationHours: '168' },
  ...{ approvalLifetimeHours: '24', newRecipients: 'allow', newRecipientCoolDownHours: '0', approveAboveInUsd: 'null' },
  ...{ allowedTokens: 'null', allowedMarkets: 'null', maxTradeLossPercent: 'null', unpricedTokens: [] },
  allowMailLogin: 'true',
};
const decode = (fields: PlainJson) => decodeDocument(canonicalJson(fields));

it('decodes a transfer, with every term as it is signed', () => {
  const { about, agent } = decode(OPERATION);
  expect(agent).toBe(ID);
  expect(about).toMatchObject({ kind: 'operation', action: 'transfer', valueUsd: '2.000001', terms: TRANSFER });
});

it('decodes a claim only with the wallet and the mailbox of the agent', () => {
  const terms = {
    email: 'agent@example.com',
    wallet: ADDRESS,
    policy: POLICY,
    keepSessions: 'false',
    delayHours: '24',
  };
  const { email, wallet } = terms;
  expect(decode({ ...COMMON, kind: 'claim', terms }).about).toMatchObject({
    kind: 'claim',
    email,
    wallet,
    delayHours: 24,
  });
  const { wallet: _, ...unnamed } = terms;
  expect(() => decode({ ...COMMON, kind: 'claim', terms: unnamed })).toThrow(UnknownDocument);
});

it('decodes a trade, an addition of liquidity and a buy of contracts', () => {
  const trade = {
    ...{ inputMint: ADDRESS, inputAmount: '1', outputMint: ADDRESS, minOutputAmount: '1' },
    ...{ slippageBps: '50', maxNetworkLamports: '5000' },
  };
  expect(decode({ ...OPERATION, action: 'trade', terms: trade }).about).toMatchObject({ terms: trade });
  const addition = {
    ...{ pool: ADDRESS, mint0: ADDRESS, mint1: ADDRESS, maxAmount0: '1', maxAmount1: '2', liquidity: '3' },
    slippageBps: '50',
  };
  expect(decode({ ...OPERATION, action: 'liquidity_add', terms: addition }).about).toMatchObject({ terms: addition });
  const buy = { ticker: 'KXHIGHNY-26NOV27', side: 'no', count: '2.5', maxPriceUsd: '0.62', maxCostUsd: '1.6' };
  expect(decode({ ...OPERATION, action: 'prediction_buy', terms: buy }).about).toMatchObject({ terms: buy });
});

it('decodes a change of a policy, a passkey and the end of a freeze', () => {
  const changes = { dailyLimitInUsd: { before: '500', after: '900' }, allowedTokens: { before: 'null', after: [] } };
  const policy = decode({ ...COMMON, kind: 'policy', terms: { proposer: 'agent', changes, note: 'Rent.' } });
  expect(policy.about).toMatchObject({
    note: 'Rent.',
    changes: [{ field: 'allowedTokens' }, { field: 'dailyLimitInUsd' }],
  });
  const { agent: _agent, policyVersion: _version, ...alone } = COMMON;
  const passkey = { ...alone, kind: 'passkey', terms: { action: 'add', credentialId: 'abc', coseKey: 'abc' } };
  expect(decode(passkey).about).toEqual({ kind: 'passkey', action: 'add', credentialId: 'abc' });
  const unfreeze = { ...COMMON, kind: 'unfreeze', terms: { frozenSince: '2026-11-26T12:00:00.000Z' } };
  expect(decode(unfreeze).about).toMatchObject({ kind: 'unfreeze' });
});

it('decodes the session that asked, also without a network, and none', () => {
  const loggedInAt = '2026-11-26T11:00:00.000Z';
  for (const network of ['203.0.113.0/24', '2001:db8:1::/48']) {
    expect(decode({ ...OPERATION, session: { loggedInAt, network } }).session).toEqual({ loggedInAt, network });
  }
  expect(decode({ ...OPERATION, session: { loggedInAt } }).session).toEqual({ loggedInAt });
  expect(decode(OPERATION).session).toBeUndefined();
});

describe('a document is refused', () => {
  it.each<[string, PlainJson]>([
    ['of another type', { ...OPERATION, type: 'agent-wallet.login.v1' }],
    ['of another kind', { ...OPERATION, kind: 'gift' }],
    ['of a kind that every object has', { ...OPERATION, kind: 'constructor' }],
    ['of another action', { ...OPERATION, action: 'burn' }],
    ['with one more field', { ...OPERATION, also: 'x' }],
    ['with a session that names no time', { ...OPERATION, session: { network: '203.0.113.0/24' } }],
    ['with a network that is text', { ...OPERATION, session: { loggedInAt: COMMON.askedAt!, network: 'home' } }],
    ['with a session of more', { ...OPERATION, session: { loggedInAt: COMMON.askedAt!, also: 'x' } }],
    ['with one more term', { ...OPERATION, terms: { ...TRANSFER, also: 'x' } }],
    ['with terms of another action', { ...OPERATION, action: 'trade' }],
    ['without a field', { ...OPERATION, wallet: undefined as never }],
    ['with another reason', { ...OPERATION, reasons: ['because'] }],
    ['with an amount that is not digits', { ...OPERATION, terms: { ...TRANSFER, amount: '1e9' } }],
    ['with a recipient that is not an address', { ...OPERATION, terms: { ...TRANSFER, recipient: 'you' } }],
    [
      'with a field that no policy has',
      { ...COMMON, kind: 'policy', terms: { proposer: 'agent', changes: { x: { before: '1', after: '2' } } } },
    ],
    ['that changes nothing', { ...COMMON, kind: 'policy', terms: { proposer: 'agent', changes: {} } }],
  ])('%s', (_why, fields) => {
    const text = JSON.stringify(JSON.parse(JSON.stringify(fields)));
    const sorted = canonicalJson(JSON.parse(text) as PlainJson);
    expect(() => decodeDocument(sorted)).toThrow(UnknownDocument);
  });

  it.each([
    ['with white space', (text: string) => ` ${text}`],
    ['with a name twice', (text: string) => text.replace('"memo":"rent"', '"memo":"gift","memo":"rent"')],
    ['with a number', (text: string) => text.replace('"threshold":"1"', '"threshold":1')],
    ['with a lone surrogate', (text: string) => text.replace('rent', '\uD800')],
    ['of plain text', () => 'rent'],
  ])('%s', (_why, spoil) => {
    expect(() => decodeDocument(spoil(canonicalJson(OPERATION)))).toThrow(UnknownDocument);
  });
});

it('a document may be signed at its origin, for its approval, until it expires', () => {
  const document = decode(OPERATION);
  const here = { approvalId: ID, origin: 'http://localhost:8381', nowMs: Date.parse('2026-11-27T11:59:59.999Z') };
  expect(signingProblem(document, here)).toBeUndefined();
  expect(signingProblem(document, { ...here, origin: 'http://localhost:8382' })).toBe('other_origin');
  expect(signingProblem(document, { ...here, approvalId: ID.replace('0', '1') })).toBe('other_approval');
  expect(signingProblem(document, { ...here, nowMs: here.nowMs + 1 })).toBe('expired');
});

it('a login signs a login’s document of its origin and nothing else', () => {
  const login = {
    type: 'agent-wallet.login.v1',
    origin: 'http://localhost',
    expiresAt: COMMON.expiresAt!,
    nonce: NONCE,
    mac: NONCE,
  };
  expect(() => checkLoginDocument(canonicalJson(login), 'http://localhost')).not.toThrow();
  expect(() => checkLoginDocument(canonicalJson(login), 'http://other')).toThrow(UnknownDocument);
  expect(() => checkLoginDocument(canonicalJson(OPERATION), 'http://localhost:8381')).toThrow(UnknownDocument);
});
