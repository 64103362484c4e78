import { createOutbox } from '@agent-wallet/events';
import { newId, TOKEN_SCOPES } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresTokenStore } from '../src/adapters/postgres-token-store.js';
import { BindOperation, EndToken, OpenToken } from '../src/application/tokens/manage-tokens.js';
import type { Attempt } from '../src/domain/attempt.js';
import type { Decision } from '../src/domain/decision.js';
import { SPENDING_KINDS, spendingFacts } from '../src/domain/spending.js';
import type { SentGrant } from '../src/domain/token.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import {
  end,
  escrow,
  granted,
  newAgent,
  openStore,
  payout,
  RECIPIENT,
  request,
  type ReservationsUnderTest,
  USD,
  WALLET,
} from './store-support.js';

const DAY_MS = 86_400_000;
const LIMIT = 1_000n * USD;
const MINT = 'mintOfNobody';

let policy: ReservationsUnderTest;
let tokens: PostgresTokenStore;
let agentId: string;

beforeAll(async () => {
  policy = await openStore({ maxPayoutsPerDay: LIMIT });
  tokens = new PostgresTokenStore(policy.database.policy, createOutbox('policy', { nowMs: () => 0 }));
});
afterAll(() => policy.close());
beforeEach(async () => {
  await policy.database.shiftClock('0');
  agentId = await newAgent(policy.database, { maxSingleTransactionUsdMicros: LIMIT, dailyLimitUsdMicros: LIMIT });
});

const GRANT: SentGrant = { name: 'A bot', scopes: ['transfer', 'trade'], expiresAtMs: Date.now() + DAY_MS };

async function openToken(change: Partial<SentGrant> = {}, of = agentId): Promise<string> {
  const tokenId = newId();
  await new OpenToken(tokens).execute({ agentId: of, tokenId }, { ...GRANT, ...change });
  return tokenId;
}

/** A request that a token asks for. */
async function by(tokenId: string, asked: ReservationRequest): Promise<ReservationRequest> {
  await tokens.bind({ agentId, tokenId }, asked.operationId);
  return asked;
}

async function decide(tokenId: string, change: Partial<ReservationRequest> = {}): Promise<Decision> {
  return (await policy.store.reserve(await by(tokenId, request(agentId, change)))) as Decision;
}

const verdictOf = async (tokenId: string, change?: Partial<ReservationRequest>) =>
  (await decide(tokenId, change)).verdict;

const listed = async () => (await tokens.list(agentId)).map(({ id }) => id);

describe('a scoped token', () => {
  it('spends within its limits, and is refused one micro-dollar above each', async () => {
    const single = await openToken({ maxSingleUsdMicros: 20n * USD });
    expect(await verdictOf(single, { valueUsdMicros: 20n * USD })).toBe('granted');
    expect(await decide(single, { valueUsdMicros: 20n * USD + 1n })).toMatchObject({
      verdict: 'grant_limit',
      grantLimit: { name: 'single', limitUsdMicros: 20n * USD, usedUsdMicros: 0n },
    });
    for (const name of ['daily', 'total'] as const) {
      const tokenId = await openToken({ [`${name}UsdMicros`]: 30n * USD });
      await end(policy.store, await by(tokenId, request(agentId, { valueUsdMicros: 12n * USD })));
      expect(await verdictOf(tokenId, { valueUsdMicros: 8n * USD })).toBe('granted');
      expect(await decide(tokenId, { valueUsdMicros: 10n * USD + 1n })).toMatchObject({
        verdict: 'grant_limit',
        grantLimit: { name, limitUsdMicros: 30n * USD, usedUsdMicros: 20n * USD },
      });
      expect(await verdictOf(tokenId, { valueUsdMicros: 10n * USD })).toBe('granted');
    }
  });

  it('gets its daily limit back after 24 hours, and its total never', async () => {
    const daily = await openToken({ dailyUsdMicros: 10n * USD, expiresAtMs: Date.now() + 30 * DAY_MS });
    const total = await openToken({ totalUsdMicros: 10n * USD, expiresAtMs: Date.now() + 30 * DAY_MS });
    for (const tokenId of [daily, total]) await end(policy.store, await by(tokenId, request(agentId)));
    await policy.database.shiftClock('23 hours 59 minutes');
    expect(await verdictOf(daily, { valueUsdMicros: 1n })).toBe('grant_limit');
    await policy.database.shiftClock('24 hours 1 minute');
    expect(await verdictOf(daily)).toBe('granted');
    expect(await verdictOf(total, { valueUsdMicros: 1n })).toBe('grant_limit');
  });

  it('counts nothing that failed or expired, and what came back of an escrow', async () => {
    const tokenId = await openToken({ scopes: ['predict'], totalUsdMicros: 10n * USD });
    await end(policy.store, await by(tokenId, escrow(agentId, 10n * USD)), 'failed');
    await end(policy.store, await by(tokenId, escrow(agentId, 10n * USD)), 'expired');
    const order = await by(tokenId, escrow(agentId, 10n * USD));
    await end(policy.store, order);
    expect(await verdictOf(tokenId, { kind: 'escrow', amount: 1n, valueUsdMicros: 1n })).toBe('grant_limit');
    await end(policy.store, payout(agentId, 4n * USD, { operationId: order.operationId }));
    const [token] = await tokens.list(agentId);
    expect(token).toMatchObject({ usedUsdMicros: 6n * USD, usedTodayUsdMicros: 6n * USD });
  });

  it('is never wider than the policy', async () => {
    const tokenId = await openToken({ maxSingleUsdMicros: 5_000n * USD, dailyUsdMicros: 5_000n * USD });
    expect(await verdictOf(tokenId, { valueUsdMicros: LIMIT + 1n })).toBe('single_transaction_limit');
    expect(await verdictOf(tokenId, { valueUsdMicros: LIMIT })).toBe('granted');
    expect(await verdictOf(tokenId, { valueUsdMicros: 1n })).toBe('daily_limit');
    expect(await verdictOf(tokenId, { valueUsdMicros: undefined })).toBe('price_unavailable');
  });

  const scoped = SPENDING_KINDS.map((kind) => [kind, spendingFacts(kind).scope!] as const);
  it.each(scoped.filter(([, scope]) => scope))('needs for a %s the scope %s', async (kind, scope) => {
    await policy.database.rows('update policies set allow_liquidity_provision = true where agent_id = $1', agentId);
    const others = TOKEN_SCOPES.filter((name) => name !== scope);
    const change = { kind, amount: kind === 'escrow' ? USD : undefined, valueUsdMicros: USD } as ReservationRequest;
    expect(await decide(await openToken({ scopes: others }), change)).toMatchObject({
      verdict: 'insufficient_scope',
      missingScope: scope,
    });
    expect(await verdictOf(await openToken({ scopes: [scope] }), change)).toBe('granted');
  });

  it('pays its recipients alone', async () => {
    const tokenId = await openToken({ recipients: [RECIPIENT] });
    expect(await verdictOf(tokenId)).toBe('granted');
    expect(await decide(tokenId, { recipient: WALLET })).toMatchObject({
      verdict: 'grant_limit',
      grantLimit: { name: 'recipients', limitUsdMicros: undefined },
    });
    expect(await verdictOf(tokenId, { kind: 'trade', recipient: undefined })).toBe('granted');
  });

  it('with recipients brings no unverified token, unless the policy lists it', async () => {
    const tokenId = await openToken({ recipients: [RECIPIENT] });
    const trade = { kind: 'trade', recipient: undefined, acquiredMints: [MINT], isUnverified: true } as const;
    const recipients = { verdict: 'grant_limit', grantLimit: { name: 'recipients', limitUsdMicros: undefined } };
    expect(await decide(tokenId, trade)).toMatchObject(recipients);
    const pool = { ...trade, kind: 'liquidity_add', acquiredMints: [MINT, WALLET] } as const;
    const both = await openToken({ recipients: [RECIPIENT], scopes: ['liquidity'] });
    expect(await decide(both, pool)).toMatchObject(recipients);
    expect(await verdictOf(await openToken(), trade)).toBe('granted');
    await policy.database.rows('update policies set allowed_tokens = $2 where agent_id = $1', agentId, `["${MINT}"]`);
    expect(await verdictOf(tokenId, trade)).toBe('granted');
  });

  it('permits nothing after its end, not even what is open, but money that comes back', async () => {
    const tokenId = await openToken({ scopes: ['transfer', 'predict'] });
    const open = await by(tokenId, request(agentId));
    expect((await policy.store.reserve(open))?.verdict).toBe('granted');
    const order = await by(tokenId, escrow(agentId, 5n * USD));
    await end(policy.store, order);
    await new EndToken(tokens).execute({ agentId, tokenId });
    expect((await policy.store.reserve(open))?.verdict).toBe('grant_ended');
    expect(await verdictOf(tokenId)).toBe('grant_ended');
    await end(policy.store, payout(agentId, 5n * USD, { operationId: order.operationId }));
    await policy.database.shiftClock('-1 hour');
    expect(await verdictOf(tokenId)).toBe('grant_ended');
    // A repeat ends nothing more.
    await new EndToken(tokens).execute({ agentId, tokenId });
    expect(await listed()).toEqual([]);
  });

  it('expires by the clock of the database', async () => {
    const tokenId = await openToken();
    await policy.database.stopClock(new Date(GRANT.expiresAtMs - 1).toISOString());
    expect(await verdictOf(tokenId)).toBe('granted');
    await policy.database.stopClock(new Date(GRANT.expiresAtMs).toISOString());
    expect(await verdictOf(tokenId)).toBe('grant_ended');
    expect(await listed()).toEqual([]);
  });

  it('is decided on by a dry run as by the request', async () => {
    const tokenId = await openToken({ maxSingleUsdMicros: 20n * USD });
    const asked = { ...request(agentId), tokenId };
    expect((await policy.store.dryRun(asked))?.verdict).toBe('granted');
    const tooMuch = { ...asked, valueUsdMicros: 21n * USD };
    expect(await policy.store.dryRun(tooMuch)).toMatchObject({
      verdict: 'grant_limit',
      grantLimit: { name: 'single' },
    });
    const bought = await policy.store.dryRun({ ...asked, kind: 'escrow', amount: USD });
    expect(bought).toMatchObject({ verdict: 'insufficient_scope', missingScope: 'predict' });
    expect((await policy.store.dryRun({ ...asked, tokenId: newId() }))?.verdict).toBe('grant_ended');
  });
});

describe('operations of tokens', () => {
  it('belong to one token, which is the agent’s own', async () => {
    const [mine, other] = [await openToken(), await openToken()];
    const operationId = newId();
    expect(await tokens.bind({ agentId, tokenId: mine }, operationId)).toBe(mine);
    expect(await tokens.bind({ agentId, tokenId: mine }, operationId)).toBe(mine);
    expect(await tokens.bind({ agentId, tokenId: other }, operationId)).toBe(mine);
    const stranger = await newAgent(policy.database);
    expect(await tokens.bind({ agentId: stranger, tokenId: mine }, newId())).toBeUndefined();
    const binding = new BindOperation(tokens);
    await expect(binding.execute({ agentId, tokenId: other }, operationId)).rejects.toMatchObject({
      code: 'PERMIT_CONFLICT',
    });
    await expect(binding.execute({ agentId: stranger, tokenId: mine }, newId())).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'grant_ended' },
    });
    await expect(new EndToken(tokens).execute({ agentId: stranger, tokenId: mine })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await listed()).toEqual([mine, other]);
  });

  it('never exceed the limit of a token or of the agent: 50 at once, by ten tokens, at two replicas', async () => {
    const opened = await Promise.all(
      Array.from({ length: 10 }, () => openToken({ dailyUsdMicros: 150n * USD, totalUsdMicros: 200n * USD })),
    );
    const asked = await Promise.all(
      Array.from({ length: 50 }, (_, n) => by(opened[n % 10]!, request(agentId, { valueUsdMicros: 40n * USD }))),
    );
    const replicas = [policy.store, policy.replica];
    const decisions = await Promise.all(asked.map((each, n) => replicas[n % 2]!.reserve(each)));
    // Each token has room for three, the agent for 25.
    expect(granted(decisions)).toBe(25);
    for (const token of await tokens.list(agentId)) expect(token.usedUsdMicros).toBeLessThanOrEqual(120n * USD);
  });

  it('exceed no limit of a token while others of it are decided and ended', async () => {
    const tokenId = await openToken({ dailyUsdMicros: 100n * USD });
    const asked = await Promise.all(Array.from({ length: 30 }, () => by(tokenId, request(agentId))));
    const replicas = [policy.store, policy.replica];
    const decisions = await Promise.all(
      asked.map(async (each, n) => {
        const decision = await replicas[n % 2]!.reserve(each);
        if (decision?.verdict !== 'granted') return decision;
        await policy.store.settle((await policy.store.find(each)) as Attempt, { state: 'settled' });
        return decision;
      }),
    );
    expect(granted(decisions)).toBe(10);
  });
});

describe('opening a token', () => {
  it('is refused beyond 50 that are live, and repeated under its id', async () => {
    const [first] = await Promise.all(Array.from({ length: 50 }, () => openToken()));
    await expect(openToken()).rejects.toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'too_many_tokens' } });
    const again = await new OpenToken(tokens).execute({ agentId, tokenId: first! }, { ...GRANT, name: 'Another' });
    expect(again).toMatchObject({ id: first, name: GRANT.name });
    await new EndToken(tokens).execute({ agentId, tokenId: first! });
    await openToken();
    expect(await listed()).toHaveLength(50);
  });

  it.each<[string, Partial<SentGrant>]>([
    ['no name', { name: ' ' }],
    ['a long name', { name: 'x'.repeat(65) }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['transfer', 'everything'] }],
    ['a scope twice', { scopes: ['read', 'read'] }],
    ['an empty list of recipients', { recipients: [] }],
    ['a recipient that is none', { recipients: ['nowhere'] }],
    ['a recipient twice', { recipients: [WALLET, WALLET] }],
    ['too many recipients', { recipients: Array.from({ length: 101 }, () => WALLET) }],
    ['a limit beyond the schema', { totalUsdMicros: 2n ** 63n }],
    ['an end in the past', { expiresAtMs: 1 }],
    ['an end beyond a year', { expiresAtMs: Date.now() + 400 * DAY_MS }],
    ['an end that cannot be read', { expiresAtMs: NaN }],
  ])('is refused with %s', async (_, change) => {
    await expect(openToken(change)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await listed()).toEqual([]);
  });

  it('needs an agent with a policy', async () => {
    await expect(openToken({}, newId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
