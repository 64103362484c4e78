import { APPROVABLE_ACTIONS, createOutbox } from '@agent-wallet/events';
import { newId, TOKEN_SCOPES } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresTokenStore } from '../src/adapters/postgres-token-store.js';
import { OpenToken } from '../src/application/tokens/manage-tokens.js';
import { APPROVABLE, SPENDING_KINDS, type SpendingKind, spendingFacts } from '../src/domain/spending.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent } from './store-support.js';

const DAY_MS = 86_400_000;

let database: PolicyDatabase;
beforeAll(async () => {
  database = await openPolicyDatabase();
});
afterAll(() => database.close());

/** A policy that allows everything below its limits. */
const OPEN = {
  max_single_transaction_usd_micros: 100,
  daily_limit_usd_micros: 100,
  allowed_recipients: [],
  owner_listed_tokens: [],
  unpriced_tokens: [],
  new_recipients: 'allow',
  allow_trading: true,
  allow_liquidity_provision: true,
  allow_prediction_markets: true,
  claimed_at: '2026-01-01',
};

/** Returns what the limit rule says of every kind. */
async function rules(policy: object, asked: { value?: number | null; requiresOwner?: boolean } = {}) {
  const { value = 1, requiresOwner = false } = asked;
  const rows = await database.rows<{ kind: SpendingKind; rule: string | null }>(
    `select kind::text, policy.violated_rule(jsonb_populate_record(null::policy.policies, $1), false, kind, '', false, $2, 0,
       false, false, false, false, 0, $3) as rule
     from unnest(enum_range(null::policy.spending)) as kind`,
    ...[JSON.stringify({ ...OPEN, ...policy }), value, requiresOwner],
  );
  return Object.fromEntries(rows.map(({ kind, rule }) => [kind, rule]));
}

/** Returns a value of each kind, by its facts. */
function ofEach<Value>(read: (facts: ReturnType<typeof spendingFacts>) => Value) {
  return Object.fromEntries(SPENDING_KINDS.map((kind) => [kind, read(spendingFacts(kind))]));
}

describe('the schema says of every kind of spending what SPENDING does', () => {
  it('has the same kinds', async () => {
    const rows = await database.rows<{ kind: string }>(
      'select unnest(enum_range(null::policy.spending))::text as kind',
    );
    expect(rows.map(({ kind }) => kind).sort()).toEqual([...SPENDING_KINDS].sort());
  });

  it('allows all of them under a policy that forbids nothing', async () => {
    expect(await rules({})).toEqual(ofEach(() => null));
  });

  it.each([
    ['allowTrading', 'allow_trading'],
    ['allowLiquidityProvision', 'allow_liquidity_provision'],
    ['allowPredictionMarkets', 'allow_prediction_markets'],
  ] as const)('stops by %s the same kinds', async (field, column) => {
    const expected = ofEach(({ stop }) => (stop?.field === field ? stop.rule : null));
    expect(await rules({ [column]: false })).toEqual(expected);
  });

  it('requires an owner for the same kinds', async () => {
    const expected = ofEach(({ needsOwner }) => (needsOwner ? 'owner_required' : null));
    expect(await rules({ claimed_at: null }, { requiresOwner: true })).toEqual(expected);
  });

  it('limits the same kinds, which need a price', async () => {
    const limitedBy = (rule: string) => ofEach(({ isLimited }) => (isLimited ? rule : null));
    expect(await rules({}, { value: null })).toEqual(limitedBy('price_unavailable'));
    expect(await rules({}, { value: 101 })).toEqual(limitedBy('single_transaction_limit'));
    expect(await rules({ daily_limit_usd_micros: 0 })).toEqual(limitedBy('daily_limit'));
  });

  it('asks an owner for the same kinds', async () => {
    const expected = ofEach(({ approval }) => (approval ? 'approval_required' : null));
    expect(await rules({ approve_above_usd_micros: 0 })).toEqual(expected);
  });

  it('needs the same scopes', async () => {
    const rows = await database.rows<{ kind: SpendingKind; scope: string | null }>(
      'select kind::text, policy.scope_of(kind) as scope from unnest(enum_range(null::policy.spending)) as kind',
    );
    const scopes = Object.fromEntries(rows.map(({ kind, scope }) => [kind, scope]));
    expect(scopes).toEqual(ofEach(({ scope }) => scope ?? null));
  });

  it('limits the same kinds by a token', async () => {
    const [agentId, tokenId] = [await newAgent(database), newId()];
    const tokens = new PostgresTokenStore(database.policy, createOutbox('policy', { nowMs: () => 0 }));
    const grant = { name: 'A bot', scopes: TOKEN_SCOPES, maxSingleUsdMicros: 1n, expiresAtMs: Date.now() + DAY_MS };
    await new OpenToken(tokens).execute({ agentId, tokenId }, grant);
    const rows = await database.rows<{ kind: SpendingKind; verdict: string | null }>(
      `select kind::text, v.final_verdict as verdict
       from unnest(enum_range(null::policy.spending)) as kind, lateral policy.token_verdict(null, $1,
         jsonb_populate_record(null::policy.reservation_request, jsonb_build_object('kind', kind, 'token_id', $2::text)),
         2, policy.now()) as v`,
      ...[agentId, tokenId],
    );
    const verdicts = Object.fromEntries(rows.map(({ kind, verdict }) => [kind, verdict]));
    expect(verdicts).toEqual(ofEach(({ isLimited }) => (isLimited ? 'grant_limit' : null)));
  });
});

it('an owner approves the actions that the catalogue of actions calls approvable', () => {
  expect(APPROVABLE.map(({ action }) => action).sort()).toEqual([...APPROVABLE_ACTIONS].sort());
});
