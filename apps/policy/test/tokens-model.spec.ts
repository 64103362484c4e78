import { createOutbox } from '@agent-wallet/events';
import { newId, type TokenScope } from '@agent-wallet/kernel';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PostgresTokenStore } from '../src/adapters/postgres-token-store.js';
import type { Attempt, AttemptState } from '../src/domain/attempt.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import { newAgent, openStore, request, type ReservationsUnderTest, USD } from './store-support.js';

const RUNS = propertyRuns(200);
const DAY_MINUTES = 1_440;
const LIMIT = 100n * USD;
const START_MS = Date.UTC(2027, 0, 1);
const LIFE_MINUTES = 2_000;

let policy: ReservationsUnderTest;
let tokens: PostgresTokenStore;

beforeAll(async () => {
  policy = await openStore();
  tokens = new PostgresTokenStore(policy.database.policy, createOutbox('policy', { nowMs: () => 0 }));
});
afterAll(() => policy.close());

type Step =
  | { readonly does: 'spend'; readonly token: number; readonly usd: number; readonly kind: 'payment' | 'trade' }
  | { readonly does: 'finish'; readonly which: number; readonly as: Exclude<AttemptState, 'open'> }
  | { readonly does: 'repeat'; readonly which: number }
  | { readonly does: 'end'; readonly token: number }
  | { readonly does: 'wait'; readonly minutes: number };

/** A token of the model: the tests' agent has three, and its own sessions are number 3. */
const grantOf = fc.record({
  scopes: fc.constantFrom<TokenScope[]>(['transfer'], ['transfer', 'trade'], ['trade'], ['read']),
  single: fc.option(fc.integer({ min: 1, max: 60 })),
  daily: fc.option(fc.integer({ min: 1, max: 100 })),
  total: fc.option(fc.integer({ min: 1, max: 150 })),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('spend' as const),
      token: fc.integer({ min: 0, max: 3 }),
      usd: fc.integer({ min: 1, max: 70 }),
      kind: fc.constantFrom('payment' as const, 'trade' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('finish' as const),
      which: fc.nat(9),
      as: fc.constantFrom('settled' as const, 'failed' as const, 'expired' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('repeat' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), token: fc.integer({ min: 0, max: 2 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      minutes: fc.constantFrom(1, 700, DAY_MINUTES - 1, DAY_MINUTES),
    }),
  },
);

interface Spent {
  readonly asked: ReservationRequest;
  readonly token: number;
  readonly value: bigint;
  state: AttemptState;
  settledAt: number;
}

type Grant = typeof grantOf extends fc.Arbitrary<infer T> ? T : never;

/** States the rule of tokens and of the policy once more, over a plain list. */
class Model {
  minutes = 0;
  readonly spent: Spent[] = [];
  readonly ended = new Set<number>();

  constructor(private readonly grants: readonly Grant[]) {}

  verdict({ token, value, kind, asked }: { token: number; value: bigint; kind: string; asked: ReservationRequest }) {
    const others = this.spent.filter((each) => each.asked !== asked);
    const counts = (each: Spent, since: number) =>
      each.state === 'open' || (each.state === 'settled' && each.settledAt > since);
    const sum = (of: readonly Spent[]) => of.reduce((total, each) => total + each.value, 0n);
    const inDay = others.filter((each) => counts(each, this.minutes - DAY_MINUTES));
    const policySays = sum(inDay) + value > LIMIT ? 'daily_limit' : 'granted';
    const grant = this.grants[token];
    if (!grant) return policySays;
    if (this.ended.has(token) || this.minutes >= LIFE_MINUTES) return 'grant_ended';
    if (!grant.scopes.includes(kind === 'payment' ? 'transfer' : 'trade')) return 'insufficient_scope';
    if (policySays !== 'granted') return policySays;
    const own = others.filter((each) => each.token === token);
    const isOver = (limit: number | null, used: bigint) => limit !== null && used + value > BigInt(limit) * USD;
    const used = sum(own.filter((each) => counts(each, this.minutes - DAY_MINUTES)));
    const ever = sum(own.filter((each) => counts(each, -Infinity)));
    const isLimit = isOver(grant.single, 0n) || isOver(grant.daily, used) || isOver(grant.total, ever);
    return isLimit ? 'grant_limit' : 'granted';
  }
}

describe('tokens', () => {
  it('decide as a model of them does', async () => {
    const verdicts = new Map<string, number>();
    const property = fc.asyncProperty(
      fc.array(grantOf, { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 4, maxLength: 12 }),
      async (grants, steps) => {
        await run(grants, steps, (verdict) => verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1));
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    for (const verdict of ['granted', 'grant_limit', 'grant_ended', 'insufficient_scope', 'daily_limit']) {
      expect([verdict, verdicts.get(verdict) ?? 0]).toEqual([verdict, expect.any(Number)]);
      expect(verdicts.get(verdict)).toBeGreaterThan(20);
    }
  });
});

const at = (minutes: number) => new Date(START_MS + minutes * 60_000).toISOString();

async function run(grants: readonly Grant[], steps: readonly Step[], note: (verdict: string) => void): Promise<void> {
  const model = new Model(grants);
  await policy.database.stopClock(at(0));
  const agentId = await newAgent(policy.database, {
    dailyLimitUsdMicros: LIMIT,
    maxSingleTransactionUsdMicros: LIMIT,
  });
  const ids = grants.map(() => newId());
  const usd = (dollars: number | null) => (dollars === null ? undefined : BigInt(dollars) * USD);
  for (const [n, { scopes, single, daily, total }] of grants.entries()) {
    await tokens.open({ agentId, tokenId: ids[n]! }, () => ({
      ...{ name: 'A bot', scopes, expiresAtMs: START_MS + LIFE_MINUTES * 60_000 },
      ...{ maxSingleUsdMicros: usd(single), dailyUsdMicros: usd(daily), totalUsdMicros: usd(total) },
    }));
  }
  const decide = async (asked: ReservationRequest, token: number, value: bigint) => {
    const expected = model.verdict({ token, value, kind: asked.kind, asked });
    const verdict = (await policy.store.reserve(asked))!.verdict;
    expect(verdict).toBe(expected);
    note(verdict);
    return verdict === 'granted';
  };
  for (const each of steps) {
    switch (each.does) {
      case 'spend': {
        const value = BigInt(each.usd) * USD;
        const asked = request(agentId, { kind: each.kind, valueUsdMicros: value });
        if (ids[each.token]) await tokens.bind({ agentId, tokenId: ids[each.token]! }, asked.operationId);
        if (await decide(asked, each.token, value)) {
          model.spent.push({ asked, token: each.token, value, state: 'open', settledAt: 0 });
        }
        break;
      }
      case 'repeat': {
        const open = model.spent.filter(({ state }) => state === 'open');
        const again = open[each.which % open.length];
        if (again) await decide(again.asked, again.token, again.value);
        break;
      }
      case 'finish': {
        const open = model.spent.filter(({ state }) => state === 'open');
        const finished = open[each.which % open.length];
        if (!finished) break;
        await policy.store.settle((await policy.store.find(finished.asked)) as Attempt, { state: each.as });
        Object.assign(finished, { state: each.as, settledAt: model.minutes });
        break;
      }
      case 'end':
        await tokens.end({ agentId, tokenId: ids[each.token]! });
        model.ended.add(each.token);
        break;
      case 'wait':
        model.minutes += each.minutes;
        await policy.database.stopClock(at(model.minutes));
    }
  }
}
