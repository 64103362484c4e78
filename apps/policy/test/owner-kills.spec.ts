import { newId } from '@agent-wallet/kernel';
import { casesOf } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MortalDatabase, type Side } from './mortal-database.js';
import { type Replica, replicaOn, Scene } from './owner-acts.js';
import { openStore, RECIPIENT, type ReservationsUnderTest } from './store-support.js';

/** An act of a replica, once all is there for it. */
type Act = (replica: Replica) => Promise<unknown>;
/** Makes all that an act needs. */
type Prepare = (scene: Scene) => Promise<Act>;

interface Path {
  readonly prepare: Prepare;
  readonly isClaimed?: boolean;
  /** Whether it is many steps, each of which has an effect of its own. */
  readonly hasSteps?: boolean;
}

const ALMOST = '71 hours';
const THEN = '72 hours 10 seconds';

const PAYMENTS: Record<string, Path> = {
  'a vote that approves a payment': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const approval = await scene.awaiting(scene.transfer(11n));
      return (replica) => scene.vote(replica, approval);
    },
  },
  'the use of an approval, with its reservation': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const payment = scene.transfer(11n);
      await scene.approved(payment);
      return (replica) => scene.use(replica, payment);
    },
  },
  'a use that a tightened policy refuses': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const payment = scene.transfer(11n);
      await scene.approved(payment);
      await scene.tighten(scene.replica, 5n);
      return (replica) => scene.use(replica, payment);
    },
  },
  'an approval that its owner takes back': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const { id } = await scene.approved(scene.transfer(11n));
      return (replica) => replica.close.execute(id, { ownerId: scene.ownerId });
    },
  },
  'an approval that its agent takes back': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const { id } = await scene.approved(scene.transfer(11n));
      return (replica) => replica.close.execute(id, { agentId: scene.agentId });
    },
  },
  'a payment that is rejected': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const { id } = await scene.awaiting(scene.transfer(11n));
      return (replica) => replica.close.execute(id, { ownerId: scene.ownerId });
    },
  },
  'all that waits, rejected one after the other': {
    hasSteps: true,
    prepare: async (scene) => {
      await scene.askAboveTen();
      await scene.awaiting(scene.transfer(11n));
      await scene.approved(scene.transfer(12n));
      await scene.propose(600n);
      const viewer = { ownerId: scene.ownerId };
      return async ({ approvals, close }) => {
        for (const { id, state } of await approvals.list(viewer, { state: undefined, before: undefined, limit: 20 })) {
          if (state === 'pending' || state === 'approved') await close.execute(id, viewer);
        }
      };
    },
  },
  'the end of all sessions, with payments and proposals that wait': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      const used = scene.transfer(12n, newId());
      await scene.approved(used);
      await scene.use(scene.replica, used);
      await scene.awaiting(scene.transfer(11n));
      await scene.approved(scene.transfer(13n));
      await scene.propose(600n);
      await scene.propose(700n, scene.ownerId);
      const endedAtMs = Date.now() + 1;
      return ({ operations }) => operations.voidAskedBefore(scene.agentId, endedAtMs, []);
    },
  },
  'approvals that expire': {
    prepare: async (scene) => {
      await scene.askAboveTen();
      await scene.awaiting(scene.transfer(11n));
      await scene.approved(scene.transfer(12n));
      await scene.propose(600n);
      await scene.at('25 hours');
      return ({ approvals }) => approvals.expire();
    },
  },
};

/** Signs the claim of an agent that holds something. */
async function signedClaim(scene: Scene): Promise<void> {
  await scene.vote(scene.replica, await scene.claim());
}

/** Has an operator ask for the release of an agent that its owner has frozen, and an hour before it asks for a payment. */
async function releaseAhead(scene: Scene): Promise<void> {
  await scene.askAboveTen();
  await scene.overrule();
  await scene.at(ALMOST);
  await scene.trust(newId());
  await scene.awaiting(scene.transfer(11n));
  await scene.approved(scene.transfer(12n));
  await scene.freeze(scene.replica);
}

const LATER: Record<string, Path> = {
  'a claim that takes effect': {
    isClaimed: false,
    prepare: async (scene) => {
      await signedClaim(scene);
      await scene.at('25 hours');
      return ({ approvals }) => approvals.applyDue();
    },
  },
  'a claim that the mailbox cancels': {
    isClaimed: false,
    prepare: async (scene) => {
      await signedClaim(scene);
      return ({ approvals }) => approvals.cancelClaims(scene.agentId);
    },
  },
  'a release that takes effect': {
    prepare: async (scene) => {
      await releaseAhead(scene);
      await scene.at(THEN);
      return ({ approvals }) => approvals.applyDue();
    },
  },
  'the objection to a release': {
    prepare: async (scene) => {
      const objection = await scene.overrule();
      return (replica) => scene.vote(replica, objection);
    },
  },
  'a recovery that an operator confirms': {
    prepare: async (scene) => {
      const recovery = await scene.recovery();
      return (replica) => scene.confirm(replica, recovery);
    },
  },
  'a recovery that takes effect': {
    prepare: async (scene) => {
      await scene.confirm(scene.replica, await scene.recovery());
      await scene.at(THEN);
      return ({ approvals }) => approvals.applyDue();
    },
  },
  'a recovery that is rejected': {
    prepare: async (scene) => {
      const { id } = await scene.confirm(scene.replica, await scene.recovery());
      return ({ close }) => close.execute(id, { ownerId: scene.ownerId });
    },
  },
};

const OWNERS: Record<string, Path> = {
  'a person who is asked to join': {
    prepare: async (scene) => {
      const joining = await scene.member(false);
      return (replica) => scene.vote(replica, joining);
    },
  },
  'a member who joins': {
    prepare: async (scene) => {
      const joining = await scene.member(false);
      await scene.vote(scene.replica, joining);
      return (replica) => scene.vote(replica, joining, scene.otherId);
    },
  },
  'a member who leaves': {
    prepare: async (scene) => {
      await scene.joinOther();
      const leaving = await scene.member(true);
      return (replica) => scene.vote(replica, leaving);
    },
  },
  'a freeze by the owner': { prepare: async (scene) => (replica) => scene.freeze(replica) },
  'the end of that freeze': {
    prepare: async (scene) => {
      await scene.freeze(scene.replica);
      const unfreeze = await scene.unfreeze();
      return (replica) => scene.vote(replica, unfreeze);
    },
  },
  'a tightening by the owner’s session': { prepare: async (scene) => (replica) => scene.tighten(replica, 5n) },
  'a recipient that is forgotten': {
    prepare: async (scene) => {
      await scene.trust(RECIPIENT);
      return (replica) => scene.forget(replica, RECIPIENT);
    },
  },
};

let world: ReservationsUnderTest;
let replicas: readonly [Replica, Replica];
let mortal: MortalDatabase;
let dying: Replica;

beforeAll(async () => {
  world = await openStore();
  replicas = [replicaOn(world.database.policy), replicaOn(world.database.another())];
  mortal = new MortalDatabase(world.database);
  dying = replicaOn(mortal.database);
});
afterAll(() => world.close());

/** A path that is ready to go, in a scene of its own. */
async function open({ prepare, isClaimed = true }: Path) {
  const scene = await Scene.open(world, replicas[0], isClaimed);
  const act = await prepare(scene);
  return { scene, act, before: await scene.state() };
}

/** States of a path that nothing disturbs: ready, done, and after the sweeper has come by. */
async function undisturbed(path: Path) {
  const { scene, act, before } = await open(path);
  await act(replicas[1]);
  const done = await scene.state();
  await replicas[1].sweep.execute();
  return { before, done, swept: await scene.state() };
}

/** Kills a replica at the n-th statement of an act, which the other one repeats. @returns whether there was an n-th one */
async function isKilledAt(
  n: number,
  side: Side,
  path: Path,
  expected: Awaited<ReturnType<typeof undisturbed>>,
): Promise<boolean> {
  const { scene, act, before } = await open(path);
  expect(before).toEqual(expected.before);
  const { error, isKilled } = await mortal.dieAt(n, side, () => act(dying));
  expect(error).toEqual(isKilled ? expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }) : undefined);
  const left = await scene.state();
  if (!path.hasSteps) expect([expected.before, expected.done]).toContainEqual(left);
  // What was done is closed; all else is done now.
  await act(replicas[1]).catch((refusal: unknown) => {
    expect(refusal).toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect(left).toEqual(expected.done);
  });
  expect(await scene.state()).toEqual(expected.done);
  await replicas[1].sweep.execute();
  expect(await scene.state()).toEqual(expected.swept);
  return isKilled;
}

const PATHS: Record<string, Path> = { ...PAYMENTS, ...LATER, ...OWNERS };
/** Paths that the gate kills: a vote, a reservation, two changes that are due, a freeze. The others run at night. */
const IN_GATE = [
  'a vote that approves a payment',
  'the use of an approval, with its reservation',
  'a claim that takes effect',
  'a recovery that takes effect',
  'a freeze by the owner',
];

describe('policy that is killed at any statement of', () => {
  it.each(casesOf(Object.keys(PATHS), { gate: IN_GATE }))(
    '%s: one effect or none, and the other replica goes on',
    async (name) => {
      const path = PATHS[name]!;
      const expected = await undisturbed(path);
      expect(expected.done).not.toEqual(expected.before);
      for (const side of ['before', 'after'] as const) {
        let n = 1;
        while (await isKilledAt(n, side, path, expected)) n += 1;
        // Any of them has a transaction: its beginning, its change and its end.
        expect(n).toBeGreaterThan(1);
      }
    },
  );
});
