import { intentV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { PostgresApprovalStore } from '../src/adapters/owners/postgres-approval-store.js';
import { PostgresOperationApprovalStore } from '../src/adapters/owners/postgres-operation-approval-store.js';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { OwnerConsole } from '../src/application/owners/owner-console.js';
import { SeekApproval } from '../src/application/permits/seek-approval.js';
import type { Policy } from '../src/domain/policy.js';
import {
  type AskedTransaction,
  end,
  newAgent,
  openStore,
  RECIPIENT,
  request,
  type ReservationsUnderTest,
  transferOf,
  USD,
  WALLET,
} from './store-support.js';

// Generous: each test makes many rounds, maybe on a busy machine.

const ROUNDS = 12;
/** Verifies nothing here: votes are made as they are stored once a signature was verified. */
const CONSOLE = { origin: 'https://owner.example.com', rpId: 'owner.example.com' } as OwnerConsole;

/** What one replica of policy decides with. */
function replicaOn(database: Database) {
  const outbox = createOutbox('policy', systemClock);
  const reservations = new PostgresReservationStore(database);
  const operations = new PostgresOperationApprovalStore(database, outbox);
  return {
    reservations,
    operations,
    approvals: new PostgresApprovalStore(database, outbox),
    seek: new SeekApproval(reservations, operations, CONSOLE, { maxNetworkLamports: 5_000_000n }),
  };
}

type Replica = ReturnType<typeof replicaOn>;

let world: ReservationsUnderTest;
let replicas: readonly [Replica, Replica];
let agentId: string;
let ownerId: string;

beforeAll(async () => {
  world = await openStore();
  replicas = [replicaOn(world.database.policy), replicaOn(world.database.another())];
});
afterAll(() => world.close());
beforeEach(async () => {
  agentId = await newAgent(world.database);
  ownerId = newId();
  await world.database.rows('update policies set claimed_at = policy.now() where agent_id = $1', agentId);
  await world.database.rows("insert into agent_owners values ($1, $2, 'owner', policy.now())", agentId, ownerId);
});
afterEach(() => world.database.shiftClock('0'));

const configure = (change: Partial<Policy>) => world.policies.change(agentId, (before) => ({ ...before, ...change }));

const transfer = (dollars: bigint, recipient = RECIPIENT) => transferOf(agentId, dollars, recipient);

/** A trade of so many dollars. */
function trade(dollars: bigint): AskedTransaction {
  const value: intentV1.Swap = {
    ...{ inputMint: 'input', inputTokenProgram: 'program', inputDecimals: 6, inputAmount: dollars * USD },
    ...{ outputMint: 'output', outputTokenProgram: 'program', quotedOutputAmount: 100n, minOutputAmount: 99n },
    ...{ slippageBps: 50, platformFeeBps: 0, maxNetworkLamports: 5_000n, resolvedAddressesHash: Buffer.alloc(32) },
    allowUnpricedOutput: false,
  };
  const intent: intentV1.Intent = { wallet: WALLET, action: { $case: 'swap', value } };
  const encoded = intentV1.Intent.encode(intent).finish();
  const terms = { kind: 'trade', acquiredMints: ['output'], valueUsdMicros: dollars * USD } as const;
  return { intent, asked: request(agentId, { intent: encoded, ...terms }) };
}

const KINDS = { transfer, trade };
const KIND_NAMES = ['transfer', 'trade'] as const;

const tryAt = ({ seek }: Replica, { intent, asked }: AskedTransaction) => seek.reserve(asked, { intent });
/** The code of a failure, or the verdict of a decision. */
const outcomeOf = (attempt: Promise<{ readonly verdict: string } | undefined>) =>
  attempt.then(
    (decision) => decision!.verdict,
    ({ code }: { code: string }) => code,
  );

/** Asks for an approval of a transfer. @returns its ID */
async function awaiting(each: AskedTransaction): Promise<string> {
  const error = (await tryAt(replicas[0], each).catch((caught: unknown) => caught)) as { data: { approvalId: string } };
  expect(error).toMatchObject({ code: 'APPROVAL_REQUIRED' });
  return error.data.approvalId;
}

/** Votes with a passkey of its own. */
async function voteAt({ approvals }: Replica, id: string) {
  const credentialId = randomBytes(16);
  await world.database.rows(`insert into passkeys values ($1, $2, '', 0, '', policy.now())`, credentialId, ownerId);
  const approval = (await approvals.find(id, { ownerId }))!;
  const bytes = Buffer.alloc(1);
  const assertion = { credentialId, signCount: 1, clientData: bytes, authenticatorData: bytes, signature: bytes };
  return approvals.vote({ approval, ownerId, assertion });
}

async function effectOf(id: string) {
  const [row] = await world.database.rows<{ state: string; reservations: number; reserved: string }>(
    `select a.state::text, (select count(*)::int from reservations r where r.operation_id = a.operation_id) as reservations,
       reserved_usd_micros::text as reserved
     from approvals a join policies using (agent_id) where id = $1`,
    id,
  );
  return row!;
}

describe('an approval that is used fifty times at once, by two replicas', () => {
  it.each(KIND_NAMES)('makes one reservation of a %s', async (kind) => {
    await configure({ approveAboveUsdMicros: 10n * USD });
    const one = KINDS[kind](11n);
    const id = await awaiting(one);
    await voteAt(replicas[1], id);
    const same = Array.from({ length: 50 }, (_, n) => tryAt(replicas[n % 2]!, one));
    expect(new Set(await Promise.all(same.map(outcomeOf)))).toEqual(new Set(['granted']));
    expect(await effectOf(id)).toEqual({ state: 'used', reservations: 1, reserved: String(11n * USD) });
  });

  it('makes one reservation of fifty messages and attempts', async () => {
    await configure({ approveAboveUsdMicros: 10n * USD });
    for (let round = 0; round < 4; round += 1) {
      const one = KINDS[KIND_NAMES[round % 2]!](11n);
      const id = await awaiting(one);
      await voteAt(replicas[1], id);
      const before = BigInt((await effectOf(id)).reserved);
      const others = Array.from({ length: 50 }, (_, n) => {
        const messageHash = createHash('sha256').update(randomBytes(8)).digest();
        return tryAt(replicas[n % 2]!, { ...one, asked: { ...one.asked, messageHash, attempt: 1 + (n % 3) } });
      });
      const outcomes = await Promise.all(others.map(outcomeOf));
      expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(1);
      const effect = await effectOf(id);
      expect(effect).toEqual({ state: 'used', reservations: 1, reserved: String(before + 11n * USD) });
    }
  });
});

describe('fifty requests of one operation at once, by two replicas', () => {
  it('ask for one approval', async () => {
    await configure({ approveAboveUsdMicros: 10n * USD });
    const each = transfer(11n);
    const asked = await Promise.all(Array.from({ length: 50 }, (_, n) => outcomeOf(tryAt(replicas[n % 2]!, each))));
    expect(new Set(asked)).toEqual(new Set(['APPROVAL_REQUIRED']));
    expect(await world.database.rows('select from approvals where agent_id = $1', agentId)).toHaveLength(1);
  });
});

describe('an approval that is approved, rejected, withdrawn, expires and is used at once', () => {
  it('has one winner, and reserves only what was approved', async () => {
    const seen = new Set<string>();
    await configure({ approveAboveUsdMicros: 10n * USD });
    for (let round = 0; round < ROUNDS; round += 1) {
      await world.database.shiftClock('0');
      const each = transfer(11n);
      const id = await awaiting(each);
      const before = BigInt((await effectOf(id)).reserved);
      const [one, other] = round % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const acts = [
        () => voteAt(one, id),
        () => other.approvals.close(id, { ownerId }),
        () => one.approvals.close(id, { agentId }),
        () => tryAt(other, each),
        () => tryAt(one, each),
      ];
      const turned = [...acts.slice(round % 5), ...acts.slice(0, round % 5)];
      const expiring = world.database.shiftClock(round % 3 === 0 ? '25 hours' : '0').then(() => one.approvals.expire());
      await Promise.allSettled([...turned.map((act) => act()), expiring]);
      await outcomeOf(tryAt(one, each));
      const { state, reservations, reserved } = await effectOf(id);
      seen.add(state);
      const isUsed = state === 'used';
      expect([reservations, BigInt(reserved)]).toEqual([isUsed ? 1 : 0, before + (isUsed ? 11n * USD : 0n)]);
      expect(['used', 'rejected', 'withdrawn', 'expired', 'pending', 'approved']).toContain(state);
      if (state === 'pending' || state === 'approved') expect(round % 3).toBe(0);
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('an approval that races a tightening', () => {
  it('is used before it, or void after it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      agentId = await newAgent(world.database);
      await world.database.rows('update policies set claimed_at = policy.now() where agent_id = $1', agentId);
      await world.database.rows("insert into agent_owners values ($1, $2, 'owner', policy.now())", agentId, ownerId);
      await configure({ approveAboveUsdMicros: 10n * USD });
      const each = transfer(11n);
      const id = await awaiting(each);
      await voteAt(replicas[0], id);
      const [outcome] = await Promise.all([
        outcomeOf(tryAt(replicas[round % 2]!, each)),
        configure({ maxSingleTransactionUsdMicros: USD }),
      ]);
      const effect = await effectOf(id);
      const expected = { granted: ['used', 1], single_transaction_limit: ['void', 0] }[outcome];
      expect([effect.state, effect.reservations]).toEqual(expected);
    }
  });
});

describe('an approval that is approved and used while all sessions of its agent end', () => {
  it('is used before that, or void after it; what was not asked yet gets none', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      agentId = await newAgent(world.database);
      await world.database.rows('update policies set claimed_at = policy.now() where agent_id = $1', agentId);
      await world.database.rows("insert into agent_owners values ($1, $2, 'owner', policy.now())", agentId, ownerId);
      await configure({ approveAboveUsdMicros: 10n * USD });
      const [each, unasked] = [transfer(11n), transfer(12n)];
      const id = await awaiting(each);
      if (round % 3 > 0) await voteAt(replicas[0], id);
      const [one, other] = round % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const acts = [
        () => one.operations.voidAskedBefore(agentId, Date.now() + 1, []),
        () => (round % 3 > 0 ? tryAt(other, each) : voteAt(other, id)),
        () => tryAt(other, unasked),
      ];
      await Promise.allSettled((round % 4 < 2 ? acts : acts.toReversed()).map((act) => act()));
      const after = await outcomeOf(tryAt(other, each));
      const { state, reservations } = await effectOf(id);
      seen.add(state);
      expect([state, reservations, after]).toEqual(
        state === 'used' ? ['used', 1, 'granted'] : ['void', 0, 'APPROVAL_REJECTED'],
      );
      expect(await outcomeOf(tryAt(one, unasked))).toBe('APPROVAL_REJECTED');
      expect(
        await world.database.rows('select from approvals where agent_id = $1 and open_until is not null', agentId),
      ).toEqual([]);
    }
    expect(seen).toContain('void');
  });
});

describe('a recipient that was paid', () => {
  it('is known once the cool-down has passed by the clock of the database, to the millisecond', async () => {
    await configure({ newRecipientCoolDownHours: 24 });
    const known = newId();
    await world.database.stopClock('2026-03-01T12:00:00Z');
    await world.database.rows("update policies set claimed_at = '2026-03-01T11:59:59Z' where agent_id = $1", agentId);
    await end(replicas[0].reservations, transfer(1n, known).asked);
    // As if it had been so all along: what was paid before counts no more.
    await world.database.rows(
      "update policies set new_recipients = 'deny', version = version + 1 where agent_id = $1",
      agentId,
    );
    await world.database.stopClock('2026-03-02T11:59:59.999Z');
    expect(await outcomeOf(tryAt(replicas[1], transfer(1n, known)))).toBe('new_recipient');
    await world.database.stopClock('2026-03-02T12:00:00Z');
    expect(await outcomeOf(tryAt(replicas[1], transfer(1n, known)))).toBe('granted');
    expect(await outcomeOf(tryAt(replicas[1], transfer(1n, newId())))).toBe('new_recipient');
  });

  it('stays new when the payment moved nothing', async () => {
    const [failed, expired] = [newId(), newId()];
    await end(replicas[0].reservations, transfer(1n, failed).asked, 'failed');
    await end(replicas[0].reservations, transfer(1n, expired).asked, 'expired');
    await configure({ newRecipients: 'deny' });
    for (const recipient of [failed, expired]) {
      expect(await outcomeOf(tryAt(replicas[0], transfer(1n, recipient)))).toBe('new_recipient');
    }
  });

  it.each(['AbCd-the-other-one-WxYz', 'AbCd-the-other-one-9999', '1111-the-other-one-WxYz'])(
    'is named beside one that looks alike: %s',
    async (other) => {
      await end(replicas[0].reservations, transfer(1n, 'AbCd-the-known-one-WxYz').asked);
      await configure({ newRecipients: 'approve' });
      const id = await awaiting(transfer(1n, other));
      const document = JSON.parse((await replicas[0].approvals.find(id, { agentId }))!.document.toString()) as {
        terms: unknown;
      };
      expect(document.terms).toMatchObject({ lookalikeOf: 'AbCd-the-known-one-WxYz' });
    },
  );
});

describe('a restored database', () => {
  it('voids what was pending or approved before, so that no signature counts once more', async () => {
    await configure({ approveAboveUsdMicros: 10n * USD });
    const [asked, signed, used] = [transfer(11n), transfer(11n), transfer(11n)];
    const ids = [await awaiting(asked), await awaiting(signed), await awaiting(used)];
    for (const id of ids.slice(1)) await voteAt(replicas[0], id);
    await tryAt(replicas[0], used);
    await world.database.rows("select start_recovery('a test', policy.now())");
    await world.database.rows('update recoveries set ended_at = policy.now()');
    const states = await Promise.all(ids.map(async (id) => (await effectOf(id)).state));
    expect(states).toEqual(['void', 'void', 'used']);
    for (const each of [asked, signed]) expect(await outcomeOf(tryAt(replicas[0], each))).toBe('APPROVAL_REJECTED');
  });
});
