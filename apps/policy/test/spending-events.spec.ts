import { auditV1 } from '@agent-wallet/contracts';
import { inRequest } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Attempt, AttemptState } from '../src/domain/attempt.js';
import type { ReservationStore, ReservationRequest } from '../src/ports/reservation-store.js';
import {
  escrow,
  granted,
  type ReservationsUnderTest,
  newAgent,
  openStore,
  payout,
  request,
  sponsoredRequest,
  USD,
} from './store-support.js';

const BOUNDS = {
  maxLamportsPerTransaction: 100n,
  maxAccountsPerAgentDay: 10,
  maxLamportsPerAgentDay: 1_000n,
  maxLamportsPerDay: 1_000n,
};

let test: ReservationsUnderTest;

beforeAll(async () => {
  test = await openStore({ sponsorship: BOUNDS, maxPayoutsPerDay: 1_000n * USD });
});
afterAll(() => test.close());

async function eventsOf(agentId: string): Promise<auditV1.AuditEvent[]> {
  const rows = await test.database.rows<{ payload: Buffer }>(
    'select payload from outbox where agent_id = $1 order by id',
    agentId,
  );
  return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload));
}

const factsOf = async (agentId: string) => (await eventsOf(agentId)).map(({ fact }) => fact);

async function settle(store: ReservationStore, asked: ReservationRequest, outcome: Exclude<AttemptState, 'open'>) {
  return store.settle((await store.find(asked)) as Attempt, { state: outcome });
}

const keyOf = ({ operationId, step, attempt }: ReservationRequest) => ({ operationId, step, attempt });

describe('the events of a reservation', () => {
  it('are one event with the requested value, however often the attempt is permitted again', async () => {
    const agentId = await newAgent(test.database);
    const asked = request(agentId, { valueUsdMicros: 12n * USD });
    await inRequest({ requestId: 'the-request' }, () => test.store.reserve(asked));
    for (const store of [test.store, test.replica]) await store.reserve(asked);
    const events = await eventsOf(agentId);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ agentId, source: 'policy', requestId: 'the-request' });
    expect(events[0]!.fact).toEqual({
      $case: 'reservationCreated',
      value: {
        ...{ ...keyOf(asked), kind: 'payment', valueUsdMicros: 12n * USD },
        ...{ sponsoredLamports: 0n, windowSeconds: 86_400 },
      },
    });
  });

  it('are one event when two replicas reserve at the same time', async () => {
    const agentId = await newAgent(test.database);
    const asked = request(agentId);
    const ledgers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? test.store : test.replica));
    expect(granted(await Promise.all(ledgers.map((store) => store.reserve(asked))))).toBe(20);
    expect(await eventsOf(agentId)).toHaveLength(1);
  });

  it('name exactly the granted requests when several run together', async () => {
    const agentId = await newAgent(test.database, { dailyLimitUsdMicros: 50n * USD });
    const asked = Array.from({ length: 9 }, () => request(agentId, { valueUsdMicros: 10n * USD }));
    const decisions = await Promise.all(asked.map((each) => test.store.reserve(each)));
    const took = asked.filter((_, i) => decisions[i]?.verdict === 'granted').map(({ operationId }) => operationId);
    expect(took).toHaveLength(5);
    const published = (await factsOf(agentId)).map((fact) =>
      fact?.$case === 'reservationCreated' ? fact.value : undefined,
    );
    expect(published.map((value) => value?.operationId)).toEqual(took);
  });

  it('leave out an attempt of another agent, and include a request that runs beside it', async () => {
    const [first, second] = [await newAgent(test.database), await newAgent(test.database)];
    const taken = request(first);
    await test.store.reserve(taken);
    const fine = request(second);
    const stolen = { ...taken, agentId: second };
    const [, decision] = await Promise.all([test.store.reserve(fine), test.store.reserve(stolen)]);
    expect(decision?.verdict).toBe('conflict_other_agent');
    expect(await factsOf(second)).toMatchObject([{ value: { operationId: fine.operationId } }]);
    expect(await eventsOf(first)).toHaveLength(1);
  });

  it('name the sponsor’s part, escrows and payouts', async () => {
    const agentId = await newAgent(test.database, { allowPredictionMarkets: true });
    await test.store.reserve(sponsoredRequest(agentId, 70n));
    const bought = escrow(agentId, 5n * USD);
    await test.store.reserve(bought);
    await test.store.reserve(payout(agentId, 2n * USD, { operationId: bought.operationId }));
    expect(await factsOf(agentId)).toMatchObject([
      { value: { kind: 'payment', sponsoredLamports: 70n } },
      { value: { kind: 'escrow', valueUsdMicros: 5n * USD, step: 1 } },
      { value: { kind: 'payout', valueUsdMicros: 0n, step: 3 } },
    ]);
  });
});

describe('the events of an outcome', () => {
  it.each([
    ['settled', 'reservationSettled', {}],
    ['failed', 'reservationReleased', { proof: auditV1.ReleaseProof.RELEASE_PROOF_FINALIZED_FAILURE }],
    ['expired', 'reservationReleased', { proof: auditV1.ReleaseProof.RELEASE_PROOF_CAN_NEVER_LAND }],
  ] as const)('state once that an attempt is %s', async (outcome, $case, more) => {
    const agentId = await newAgent(test.database);
    const asked = request(agentId, { valueUsdMicros: 3n * USD });
    await test.store.reserve(asked);
    const attempt = (await test.store.find(asked)) as Attempt;
    await Promise.all([test.store, test.replica].map((store) => store.settle(attempt, { state: outcome })));
    await test.store.settle(attempt, { state: outcome === 'settled' ? 'expired' : 'settled' });
    const [, ended, ...others] = await factsOf(agentId);
    expect(ended).toEqual({ $case, value: { ...keyOf(asked), valueUsdMicros: 3n * USD, ...more } });
    expect(others).toEqual([]);
  });

  it.each([
    ['the landing time', 1_700_000_000_000, 1_700_000_000_000n],
    ['no landing time where none is known', undefined, undefined],
  ])('have %s', async (_, landedAtMs, expected) => {
    const agentId = await newAgent(test.database);
    const asked = request(agentId);
    await test.store.reserve(asked);
    await test.store.settle((await test.store.find(asked)) as Attempt, { state: 'settled', landedAtMs });
    const [, ended] = await factsOf(agentId);
    expect(ended?.$case === 'reservationSettled' ? ended.value.landedAtMs : 'another event').toBe(expected);
  });

  it('report what was reserved for an escrow, even if its payout settled first', async () => {
    const agentId = await newAgent(test.database, { allowPredictionMarkets: true });
    const bought = escrow(agentId, 8n * USD);
    const back = payout(agentId, 6n * USD, { operationId: bought.operationId });
    for (const asked of [bought, back]) await test.store.reserve(asked);
    await settle(test.store, back, 'settled');
    await settle(test.store, bought, 'settled');
    expect((await factsOf(agentId)).slice(2)).toMatchObject([
      { $case: 'reservationSettled', value: { step: 3, valueUsdMicros: 0n } },
      { $case: 'reservationSettled', value: { step: 1, valueUsdMicros: 8n * USD } },
    ]);
  });

  it('include an attempt that follows an expired one', async () => {
    const agentId = await newAgent(test.database);
    const first = request(agentId);
    await test.store.reserve(first);
    await settle(test.store, first, 'expired');
    await test.store.reserve({ ...request(agentId), operationId: first.operationId, attempt: 2 });
    expect((await factsOf(agentId)).map((fact) => fact?.$case)).toEqual([
      'reservationCreated',
      'reservationReleased',
      'reservationCreated',
    ]);
  });
});
