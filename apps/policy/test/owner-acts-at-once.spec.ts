import type { AppError } from '@agent-wallet/kernel';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Approval } from '../src/domain/owners/approval.js';
import { labelOf, type Replica, replicaOn, Scene } from './owner-acts.js';
import { type AskedTransaction, openStore, type ReservationsUnderTest, USD } from './store-support.js';

// Generous: each test makes many rounds, maybe on a busy machine.

const ROUNDS = propertyRuns(20);
/** Codes that answer an act that came too late. */
const TOO_LATE = ['APPROVAL_CLOSED', 'APPROVAL_REJECTED', 'APPROVAL_EXPIRED', 'APPROVAL_REQUIRED'];

let world: ReservationsUnderTest;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  world = await openStore();
  replicas = [replicaOn(world.database.policy), replicaOn(world.database.another())];
});
afterAll(() => world.close());

interface Raced {
  readonly scene: Scene;
  readonly payment: AskedTransaction;
  readonly approval: Approval;
}

/** All that may happen to an approval at once, each by one replica or the other. */
const ACTS: Readonly<Record<string, (replica: Replica, raced: Raced) => Promise<unknown>>> = {
  approve: (replica, { scene, approval }) => scene.vote(replica, approval),
  'approve and use': (replica, { scene, approval, payment }) =>
    scene.vote(replica, approval).finally(() => scene.use(replica, payment)),
  use: (replica, { scene, payment }) => scene.use(replica, payment),
  'use again': (replica, { scene, payment }) => scene.use(replica, payment),
  'take back': ({ close }, { scene, approval }) => close.execute(approval.id, { ownerId: scene.ownerId }),
  withdraw: ({ close }, { scene, approval }) => close.execute(approval.id, { agentId: scene.agentId }),
  evict: ({ operations }, { scene }) => operations.voidAskedBefore(scene.agentId, Date.now() + 1, []),
  expire: ({ sweep }) => sweep.execute(),
  tighten: (replica, { scene }) => scene.tighten(replica, 5n),
  freeze: (replica, { scene }) => scene.freeze(replica),
};
const NAMES = Object.keys(ACTS);

/** Acts that spend the payment. */
const SPENDING = ['approve and use', 'use', 'use again'];
/** Most round trips to the database by which they are ahead: by then they are about over. */
const MOST_AHEAD = 40;

/**
 * A round: the order of the acts, the replica of each, and whether the approval has expired by then. The payment is ahead by
 * some round trips to the database, because each other act ends it by fewer statements.
 */
const round = fc.record({
  order: fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
  isFirst: fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length }),
  isLate: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  ahead: fc.noBias(fc.integer({ min: 0, max: MOST_AHEAD })),
});

/** The round in which the payment is made before all else begins. */
const PAID: Round = { order: NAMES, isFirst: NAMES.map((_, n) => n % 2 === 0), isLate: false, ahead: Infinity };

type Round = typeof round extends fc.Arbitrary<infer Value> ? Value : never;

/** Has all of it happen at once. @returns the codes of what was refused */
async function race(raced: Raced, { order, isFirst, ahead }: Round): Promise<string[]> {
  const act = (name: string) =>
    ACTS[name]!(replicas[isFirst[NAMES.indexOf(name)] ? 0 : 1], raced).then(
      () => [],
      ({ code }: AppError) => [code],
    );
  const spending = order.filter((name) => SPENDING.includes(name)).map(act);
  if (ahead === Infinity) await Promise.all(spending);
  for (let n = 0; n < Math.min(ahead, MOST_AHEAD); n += 1) await world.database.rows('select');
  const others = order.filter((name) => !SPENDING.includes(name)).map(act);
  return (await Promise.all([...spending, ...others])).flat();
}

async function prepare(isApproved: boolean): Promise<Raced> {
  const scene = await Scene.open(world, replicas[0]);
  await scene.askAboveTen();
  const payment = scene.transfer(11n);
  const approval = await scene.awaiting(payment);
  if (isApproved) await scene.vote(scene.replica, approval);
  return { scene, payment, approval };
}

/** Reads the sums of an agent, as they are kept and as its rows make them. */
async function sumsOf(agentId: string) {
  const [row] = await world.database.rows<{ kept: string[]; counted: string[] }>(
    `select array[reserved_usd_micros, settled_usd_micros]::text[] as kept,
       array[coalesce(sum(value_usd_micros) filter (where state = 'open'), 0),
         coalesce(sum(value_usd_micros) filter (where state = 'settled' and settled_at > settled_since), 0)]::text[] as counted
     from policies join reservations r using (agent_id) where agent_id = $1 group by policies.agent_id`,
    agentId,
  );
  return row!;
}

/** Reads the end of an approval: its state, and the states of its operation's reservations. */
async function endOf({ id }: Approval) {
  const [row] = await world.database.rows<{ state: string; reservations: string[] }>(
    `select state::text, array(select r.state::text from reservations r where r.operation_id = a.operation_id) as reservations
     from approvals a where id = $1`,
    id,
  );
  return row!;
}

/** Reads the events of an approval and of its operation, in the order of the log. */
async function storyOf({ scene, payment, approval }: Raced): Promise<string[]> {
  const facts = await scene.facts();
  const own = facts.filter(({ value }) => {
    const { approvalId, operationId } = value as { approvalId?: string; operationId?: string };
    return approvalId === approval.id || operationId === payment.asked.operationId;
  });
  return own.map(labelOf);
}

const REQUESTED = 'approvalRequested operation';
const APPROVED = 'approvalDecided approved';

/** Returns the stories that an approval may have that ended in a state. */
function storiesOf(state: string): string[][] {
  if (state === 'used') return [[REQUESTED, APPROVED, 'reservationCreated payment']];
  const closed = `approvalClosed operation ${state}`;
  return [
    [REQUESTED, closed],
    [REQUESTED, APPROVED, closed],
  ];
}

async function expectOneEnd(raced: Raced): Promise<string> {
  const { scene, payment, approval } = raced;
  // A sweep leaves what another transaction has locked to the next one.
  await replicas[0].sweep.execute();
  const { state, reservations } = await endOf(approval);
  expect(['used', 'void', 'withdrawn', 'rejected', 'expired']).toContain(state);
  expect(reservations).toEqual(state === 'used' ? ['open'] : []);
  const { kept, counted } = await sumsOf(scene.agentId);
  expect(kept).toEqual(counted);
  expect(kept[0]).toBe(String(state === 'used' ? 11n * USD : 0n));
  expect(storiesOf(state)).toContainEqual(await storyOf(raced));
  // Each replica has nothing left to do, and lets nothing more happen.
  for (const replica of replicas) {
    await replica.sweep.execute();
    await scene.use(replica, payment).catch(() => undefined);
  }
  expect(await endOf(approval)).toEqual({ state, reservations });
  expect((await sumsOf(scene.agentId)).kept[0]).toBe(kept[0]);
  return state;
}

describe('an approval that is approved, used, taken back, evicted, swept, tightened against and frozen at once', () => {
  it.each(['pending', 'approved'] as const)('by two replicas, when it was %s, has one end', async (state) => {
    const ends = new Set<string>();
    const property = fc.asyncProperty(round, async (drawn) => {
      const raced = await prepare(state === 'approved');
      if (drawn.isLate) await raced.scene.at('25 hours');
      for (const code of await race(raced, drawn)) expect(TOO_LATE).toContain(code);
      ends.add(await expectOneEnd(raced));
      const { freezes, policy } = (await raced.scene.state()) as Record<string, unknown>;
      expect([freezes, policy]).toMatchObject([['owner'], { most: Number(5n * USD) }]);
      const labels = (await raced.scene.facts()).map(labelOf);
      for (const once of ['operatorActed freeze', 'policyChanged owner']) {
        expect(labels.filter((label) => label === once)).toHaveLength(1);
      }
    });
    await fc.assert(property, { numRuns: ROUNDS, examples: [[PAID]], endOnFailure: true });
    expect(ends).toContain('used');
    expect(ends.size).toBeGreaterThan(1);
  });
});
