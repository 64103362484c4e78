import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { Authenticator } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresApprovalStore } from '../src/adapters/owners/postgres-approval-store.js';
import { PostgresOperationApprovalStore } from '../src/adapters/owners/postgres-operation-approval-store.js';
import { PostgresOwnerStore } from '../src/adapters/owners/postgres-owner-store.js';
import { PostgresPolicyStore } from '../src/adapters/postgres-policy-store.js';
import { WebAuthnVerifier } from '../src/adapters/webauthn/webauthn-verifier.js';
import { CloseApproval, Vote } from '../src/application/owners/decide-approvals.js';
import { CreateLoginChallenge, VerifyLogin } from '../src/application/owners/log-in.js';
import { AddPasskey, CreatePasskeyChallenge } from '../src/application/owners/manage-passkeys.js';
import { ProposePolicyChange, RequestClaim } from '../src/application/owners/request-approval.js';
import { UpdatePolicy } from '../src/application/policies/manage-policy.js';
import type { Approval } from '../src/domain/owners/approval.js';
import { challengeOf } from '../src/domain/owners/document.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { MortalDatabase } from './mortal-database.js';
import { newAgent, USD } from './store-support.js';

// Generous: each test makes many rounds, maybe on a busy machine.

const ORIGIN = 'https://owner.example.com';
const OWNERS = { origin: ORIGIN, rpId: 'owner.example.com', claimDelayHours: 24 };
const ROUNDS = 12;

/** The use cases of one replica. */
function replicaOn(database: Database) {
  const outbox = createOutbox('policy', systemClock);
  const owners = new PostgresOwnerStore(database, outbox);
  const approvals = new PostgresApprovalStore(database, outbox);
  const ownerConsole = { ...OWNERS, verifier: new WebAuthnVerifier(OWNERS) };
  return {
    owners,
    approvals,
    operations: new PostgresOperationApprovalStore(database, outbox),
    challenge: new CreatePasskeyChallenge(owners, ownerConsole),
    addPasskey: new AddPasskey(owners, approvals, ownerConsole),
    startLogin: new CreateLoginChallenge(owners, ownerConsole),
    verifyLogin: new VerifyLogin(owners, ownerConsole),
    claim: new RequestClaim(approvals, ownerConsole),
    propose: new ProposePolicyChange(approvals, ownerConsole),
    vote: new Vote(approvals, owners, ownerConsole),
    close: new CloseApproval(approvals, ownerConsole),
    update: new UpdatePolicy(new PostgresPolicyStore(database, outbox)),
  };
}

type Replica = ReturnType<typeof replicaOn>;

let database: PolicyDatabase;
let replicas: readonly [Replica, Replica];
let agentId: string;
let ownerId: string;
let authenticator: Authenticator;

beforeAll(async () => {
  database = await openPolicyDatabase();
  replicas = [replicaOn(database.policy), replicaOn(database.another())];
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  agentId = await newAgent(database);
  [ownerId, authenticator] = await newOwner();
});
afterEach(() => database.shiftClock('0'));

async function newOwner(): Promise<[string, Authenticator]> {
  const [id, device] = [newId(), new Authenticator(ORIGIN)];
  const { challenge } = await replicas[0].challenge.execute(id);
  await replicas[0].addPasskey.execute(id, device.register(challenge));
  return [id, device];
}

const signed = ({ document }: Approval) => authenticator.assert(challengeOf(document));
const voteAt = ({ vote }: Replica, approval: Approval, assertion = signed(approval)) =>
  vote.execute(approval.id, ownerId, assertion);

const claimOf = (claimantId: string) => ({
  ...{ agentId, ownerId: claimantId, keepsSessions: false, holdsNothing: true },
  ...{ wallet: 'its wallet', email: 'agent@example.com' },
});

async function claimAgent(): Promise<void> {
  await voteAt(replicas[0], await replicas[0].claim.execute(claimOf(ownerId)));
}

const propose = (dailyLimitUsdMicros: bigint) =>
  replicas[0].propose.execute({ agentId, ownerId: undefined, change: { dailyLimitUsdMicros }, note: '' });

/** What an approval has led to: its state, its votes, and the agent's daily limit. */
async function effectOf({ id }: Approval) {
  const [row] = await database.rows<{ state: string; votes: number; limit: string; version: string }>(
    `select state::text, (select count(*)::int from votes where approval_id = a.id) as votes,
       daily_limit_usd_micros::text as limit, version::text
     from approvals a join policies using (agent_id) where id = $1`,
    id,
  );
  return row!;
}

describe('the cap of pending approvals', () => {
  it('counts no claim of another owner or of an older version', async () => {
    for (let n = 0; n < 6; n += 1) {
      const [stranger] = await newOwner();
      await replicas[0].claim.execute(claimOf(stranger));
      await replicas[0].claim.execute(claimOf(ownerId));
      await replicas[0].update.execute(agentId, { dailyLimitUsdMicros: BigInt(400 - n) * USD });
    }
    await claimAgent();
    expect(await replicas[0].owners.agentsOf(ownerId)).toHaveLength(1);
  });

  it('is five for the agent and five for its owners', async () => {
    await claimAgent();
    for (const proposer of [undefined, ownerId]) {
      const asked = (n: number) =>
        replicas[0].propose.execute({
          ...{ agentId, ownerId: proposer, note: '' },
          change: { dailyLimitUsdMicros: BigInt(600 + n) * USD },
        });
      for (let n = 0; n < 5; n += 1) await asked(n);
      await expect(asked(5)).rejects.toMatchObject({ data: { rule: 'too_many_approvals' } });
    }
  });
});

describe('an approval that was requested under another origin', () => {
  it('is superseded for the console of this one, also with a signature made here', async () => {
    await claimAgent();
    const approval = await propose(600n * USD);
    const { approvals, owners } = replicas[1];
    const moved = { ...OWNERS, origin: 'https://console.owner.example.com' };
    const vote = new Vote(approvals, owners, { ...moved, verifier: new WebAuthnVerifier(moved) });
    const assertion = authenticator.assert(challengeOf(approval.document), { origin: moved.origin, rpId: moved.rpId });
    const voting = vote.execute(approval.id, ownerId, assertion);
    await expect(voting).rejects.toMatchObject({ code: 'APPROVAL_CLOSED', data: { state: 'superseded' } });
    expect(await effectOf(approval)).toMatchObject({ state: 'pending', votes: 0 });
  });
});

describe('an approval that is approved, rejected, withdrawn and expires at once, on two replicas', () => {
  it('has one winner, and its effect only when that is the vote', async () => {
    await claimAgent();
    const winners = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      await database.shiftClock('0');
      const before = (await replicas[0].update.execute(agentId, {})).dailyLimitUsdMicros;
      const wanted = 600n * USD + BigInt(round);
      const approval = await propose(wanted);
      const [one, other] = round % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const assertions = [signed(approval), signed(approval)];
      const acts = [
        () => voteAt(one, approval, assertions[0]),
        () => voteAt(other, approval, assertions[1]),
        () => other.close.execute(approval.id, { ownerId }),
        () => one.close.execute(approval.id, { agentId }),
      ];
      const results = [...acts.slice(round % 4), ...acts.slice(0, round % 4)].map((act) => act());
      const expiring = database.shiftClock(round % 3 === 0 ? '25 hours' : '0').then(() => one.approvals.expire());
      const settled = await Promise.allSettled(results);
      await expiring;
      // It skips an approval that an act holds at that moment.
      await one.approvals.expire();
      const effect = await effectOf(approval);
      winners.add(effect.state);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(effect.state === 'expired' ? 0 : 1);
      const isApplied = effect.state === 'applied';
      expect([effect.limit, effect.votes]).toEqual([String(isApplied ? wanted : before), isApplied ? 1 : 0]);
    }
    expect(winners.size).toBeGreaterThan(1);
    const left = await database.rows("select id from approvals where agent_id = $1 and state = 'pending'", agentId);
    expect(left).toEqual([]);
  });
});

describe('a proposal that is voted on while all sessions of its agent end, twice, on two replicas', () => {
  it('is applied or withdrawn, by one of the three', async () => {
    await claimAgent();
    const winners = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = (await replicas[0].update.execute(agentId, {})).dailyLimitUsdMicros;
      const wanted = 600n * USD + BigInt(round);
      const approval = await propose(wanted);
      const endedAtMs = approval.askedAtMs + 1;
      const assertion = signed(approval);
      const [one, other] = round % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const acts = [
        () => voteAt(one, approval, assertion).then(() => 1),
        () => one.operations.voidAskedBefore(agentId, endedAtMs, []),
        () => other.operations.voidAskedBefore(agentId, endedAtMs, []),
      ];
      const ordered = [...acts.slice(round % 3), ...acts.slice(0, round % 3)];
      // A signature takes long to check: in some rounds it is ahead.
      const vote = round % 4 === 3 ? await acts.shift()!() : 0;
      const racing = round % 4 === 3 ? acts : ordered;
      const settled = await Promise.allSettled([Promise.resolve(vote), ...racing.map((act) => act())]);
      const effects = settled.map((each) => (each.status === 'fulfilled' ? each.value : 0));
      expect(effects.toSorted().slice(-3)).toEqual([0, 0, 1]);
      const { state, votes, limit } = await effectOf(approval);
      winners.add(state);
      expect([state, votes, limit]).toEqual(
        state === 'applied' ? ['applied', 1, String(wanted)] : ['withdrawn', 0, String(before)],
      );
    }
    expect(winners.size).toBeGreaterThan(1);
  });
});

describe('two claims of one agent, on two replicas', () => {
  it('have one winner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      agentId = await newAgent(database);
      const [otherId, otherDevice] = await newOwner();
      const mine = await replicas[0].claim.execute(claimOf(ownerId));
      const theirs = await replicas[1].claim.execute(claimOf(otherId));
      const states = await Promise.all([
        voteAt(replicas[round % 2]!, mine),
        replicas[1 - (round % 2)]!.vote.execute(theirs.id, otherId, otherDevice.assert(challengeOf(theirs.document))),
      ]);
      expect(states.map(({ state }) => state).sort()).toEqual(['applied', 'superseded']);
      expect(await database.rows('select from agent_owners where agent_id = $1', agentId)).toHaveLength(1);
    }
  });
});

describe('one owner, on two replicas', () => {
  it('gets one of two first passkeys that are registered at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = newId();
      const registrations = await Promise.all(
        replicas.map(async ({ challenge }) =>
          new Authenticator(ORIGIN).register((await challenge.execute(id)).challenge),
        ),
      );
      const added = await Promise.all(replicas.map((each, n) => each.addPasskey.execute(id, registrations[n]!)));
      expect(added.map((approval) => approval?.state).sort()).toEqual(['pending', undefined]);
      expect(await replicas[0].owners.passkeysOf(id)).toHaveLength(1);
    }
  });

  it('logs in once by one document, at two replicas, also without a counter', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { document } = await replicas[0].startLogin.execute();
      const assertionJson = authenticator.assert(challengeOf(document), { signCount: 0 });
      const logins = await Promise.allSettled(
        replicas.map(({ verifyLogin }) => verifyLogin.execute(document, assertionJson)),
      );
      expect(logins.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('logs in once by two assertions with one counter', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const signCount = 1_000 + round;
      const assertions = await Promise.all(
        replicas.map(async ({ startLogin }) => {
          const { document } = await startLogin.execute();
          return [document, authenticator.assert(challengeOf(document), { signCount })] as const;
        }),
      );
      const logins = await Promise.allSettled(replicas.map((each, n) => each.verifyLogin.execute(...assertions[n]!)));
      expect(logins.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

describe('a vote that races the agent’s own tightening', () => {
  it('never widens what the agent has narrowed', async () => {
    await claimAgent();
    for (let round = 0; round < ROUNDS; round += 1) {
      const limit = BigInt(400 - 2 * round) * USD;
      const approval = await propose(600n * USD + BigInt(round));
      const change = { dailyLimitUsdMicros: limit };
      await Promise.all([voteAt(replicas[0], approval), replicas[1].update.execute(agentId, change)]);
      const { state, limit: now } = await effectOf(approval);
      expect(['applied', 'superseded']).toContain(state);
      expect(now).toBe(String(limit));
    }
  });
});

describe('policy that is killed inside a vote', () => {
  it('has had one effect or none at each statement, and the same signature still counts', async () => {
    await claimAgent();
    const mortal = new MortalDatabase(database);
    const dying = replicaOn(mortal.database);
    let statements = 0;
    for (let isKilled = true; isKilled;) {
      statements += 1;
      const approval = await propose(600n * USD + BigInt(statements));
      const found = await replicas[0].approvals.find(approval.id, { ownerId });
      const [passkey] = await replicas[0].owners.passkeysOf(ownerId);
      const assertionJson = signed(approval);
      const challenge = challengeOf(approval.document);
      const assertion = await new WebAuthnVerifier(OWNERS).verifyAssertion(assertionJson, {
        challenge,
        passkey: passkey!,
      });
      const before = await effectOf(approval);
      const vote = () => dying.approvals.vote({ approval: found!, ownerId, assertion });
      ({ isKilled } = await mortal.dieAt(statements, 'before', vote));
      if (isKilled) {
        expect(await effectOf(approval)).toEqual(before);
        expect(await replicas[1].owners.passkeysOf(ownerId)).toEqual([passkey]);
        expect((await voteAt(replicas[1], approval, assertionJson)).state).toBe('applied');
      }
      const after = await effectOf(approval);
      expect([after.state, after.votes, BigInt(after.version)]).toEqual(['applied', 1, BigInt(before.version) + 1n]);
      await expect(voteAt(replicas[1], approval, assertionJson)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    }
    expect(statements).toBeGreaterThan(8);
  });
});
