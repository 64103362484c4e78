import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckpointPoint, OperationEngine } from '../src/index.js';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

const { ApprovalState } = policyV1;
const { OperationStatus } = auditV1;

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

/** A call whose operation needs an approval, as it is answered. */
async function parked(engine: OperationEngine, call = world.call()) {
  const { approvalId, error } = world.approvals.request();
  world.policy.moods.push(error);
  const record = await engine.run(world.kind, call);
  return { call, approvalId, record };
}

const decide = (approvalId: string, state: policyV1.ApprovalState) => world.approvals.states.set(approvalId, state);
const rowOf = async (id: string) => {
  const { rows } = await world.database.pool.query<{ state: string; fence: string; dueMs: number }>(
    `select state, fence, extract(epoch from due_at - clock_timestamp()) * 1000 as "dueMs" from operations where id = $1`,
    [id],
  );
  return rows[0]!;
};
/** An engine that asks about approvals only for callers: what it parks is due after the test. */
const passive = () => world.engine({ timing: { approvalMs: 60_000, maxApprovalMs: 60_000 } });

describe('an operation that needs an approval', () => {
  it('is answered at once, holds no lease and no reservation, and is answered the same again', async () => {
    const engine = passive();
    const { call, approvalId, record } = await parked(engine);
    const approval = { approvalId, expiresAtMs: 1_000, reasons: ['above_amount'] };
    expect(record).toMatchObject({ state: 'awaiting_approval', approval, error: undefined });
    expect(await rowOf(call.id)).toMatchObject({ state: 'awaiting_approval', fence: '2' });
    for (const each of [engine, passive()]) {
      expect(await each.run(world.kind, call)).toMatchObject({ state: 'awaiting_approval', approval });
    }
    expect([world.policy.open, world.policy.authorized, world.signer.signed.size]).toEqual([0, 1, 0]);
    const events = await world.events(call.id);
    expect(events.map(({ status }) => status)).toEqual([
      OperationStatus.OPERATION_STATUS_PENDING,
      OperationStatus.OPERATION_STATUS_AWAITING_APPROVAL,
    ]);
  });

  it('continues once it is approved, with a new message, whichever replica asks', async () => {
    const { call, approvalId, record } = await parked(world.engine());
    const heir = world.engine();
    world.chain.height += LIFE + 1;
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    await eventually(() => world.chain.effects === 1);
    const done = await heir.run(world.kind, call);
    expect(done).toMatchObject({ state: 'confirmed', attempt: { attempt: 2 } });
    expect(done.attempt!.message).not.toEqual(record.attempt!.message);
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);
    expect([world.chain.effects, world.policy.open, world.signer.signed.size]).toEqual([1, 0, 1]);
  });

  it('continues at once for a caller who repeats it after the vote', async () => {
    const engine = passive();
    const { call, approvalId } = await parked(engine);
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'confirmed' });
  });

  it.each([
    ['REJECTED', 'rejected', { code: 'APPROVAL_REJECTED', data: { reason: 'rejected' } }, 'REJECTED_BY_OWNER'],
    ['WITHDRAWN', 'rejected', { code: 'APPROVAL_REJECTED', data: { reason: 'withdrawn' } }, 'CANCELLED'],
    ['VOID', 'rejected', { code: 'APPROVAL_REJECTED', data: { reason: 'void' } }, 'REJECTED_BY_POLICY'],
    ['EXPIRED', 'expired', { code: 'APPROVAL_EXPIRED' }, 'EXPIRED'],
  ] as const)('with the approval %s ends as %s', async (approvalState, state, error, status) => {
    const engine = world.engine();
    const { call, approvalId } = await parked(engine);
    decide(approvalId, ApprovalState[`APPROVAL_STATE_${approvalState}`]);
    await eventually(async () => (await rowOf(call.id)).state === state);
    for (let times = 0; times < 2; times += 1) {
      const ended = await engine.run(world.kind, call);
      expect(ended).toMatchObject({ state, error });
      expect(ended.error).toMatchObject({ data: { approvalId } });
    }
    expect((await world.events(call.id)).at(-1)!.status).toBe(OperationStatus[`OPERATION_STATUS_${status}`]);
    await eventually(async () => (await world.openRows()) === 0);
    expect([world.built, world.signer.signed.size, world.policy.open]).toEqual([1, 0, 0]);
  });

  it('ends as void when policy does not know the approval any more', async () => {
    const engine = world.engine();
    const { call, approvalId } = await parked(engine);
    world.approvals.states.delete(approvalId);
    await eventually(async () => (await rowOf(call.id)).state === 'rejected');
    expect(await engine.run(world.kind, call)).toMatchObject({ error: { data: { reason: 'void' } } });
  });

  it('ends when its new message does not fit what was signed', async () => {
    const engine = passive();
    const { call, approvalId } = await parked(engine);
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    world.policy.moods.push(new AppError('PERMIT_CONFLICT', { data: { reason: 'other_terms' } }));
    const ended = { code: 'APPROVAL_REJECTED', data: { reason: 'void' } };
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'rejected', error: ended });
  });

  it('asks again while policy finds out about an earlier message', async () => {
    const engine = passive();
    const { call, approvalId } = await parked(engine);
    decide(approvalId, ApprovalState.APPROVAL_STATE_USED);
    const mayLand = new AppError('PERMIT_CONFLICT', { data: { reason: 'prior_attempt_may_land' } });
    world.policy.moods.push(mayLand, mayLand);
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'confirmed' });
    expect([world.chain.effects, world.policy.reservations.size]).toEqual([1, 1]);
  });

  it('waits on while policy is away', async () => {
    const engine = world.engine();
    const { call, approvalId } = await parked(engine);
    world.approvals.moods.push('fail', 'lose the answer', new AppError('SERVICE_UNAVAILABLE'));
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    await eventually(() => world.chain.effects === 1);
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'confirmed' });
  });

  it('fails in a service that knows no approvals', async () => {
    const engine = world.engine({ approvals: undefined });
    const { record } = await parked(engine);
    expect(record).toMatchObject({ state: 'failed', error: { code: 'INTERNAL_ERROR' } });
  });
});

describe('operations that wait', () => {
  it('are taken up although one among them cannot be read, which is parked', async () => {
    const waiting = passive();
    const unreadable = await parked(waiting);
    const others = [await parked(waiting), await parked(waiting)] as const;
    await waiting.stop();
    for (const { approvalId } of [unreadable, ...others]) decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    await world.database.pool.query(
      `update operations set due_at = clock_timestamp() - case when id = $1 then interval '1 hour' else interval '0' end,
         plan = case when id = $1 then '{"rebate":"3"}' else plan end`,
      [unreadable.call.id],
    );
    // Whose next round would be after the test.
    world.engine({ timing: { searchMs: 60_000, approvalMs: 60_000, maxApprovalMs: 60_000 } });
    await eventually(async () => {
      const rows = await Promise.all(others.map(({ call }) => rowOf(call.id)));
      return rows.every(({ state }) => state !== 'awaiting_approval');
    });
    const { rows } = await world.database.pool.query('select id, state from operations where is_unreadable');
    expect(rows).toEqual([{ id: unreadable.call.id, state: 'awaiting_approval' }]);
    expect(Number((await rowOf(unreadable.call.id)).dueMs)).toBeGreaterThan(50_000);
  });

  it('are asked about in batches, hold no lease, and are left alone by the search for other work', async () => {
    const engine = passive();
    await world.database.pool.query(
      `insert into operations (id, agent_id, action, request, request_id, state, created_at_ms, owner, due_at, approval)
       select gen_random_uuid(), gen_random_uuid(), 'transfer', '{"amount":"7"}', 'r', 'awaiting_approval', 1,
         gen_random_uuid(), clock_timestamp() + interval '1 hour',
         jsonb_build_object('approvalId', gen_random_uuid(), 'expiresAtMs', 1, 'reasons', '[]'::jsonb)
       from generate_series(1, 1000)`,
    );
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select approval ->> 'approvalId' as id from operations`,
    );
    rows.forEach(({ id }) => decide(id, ApprovalState.APPROVAL_STATE_PENDING));
    await world.database.pool.query('update operations set due_at = clock_timestamp()');
    await eventually(async () => {
      const due = 'select from operations where due_at <= clock_timestamp()';
      return (await world.database.pool.query(due)).rowCount === 0;
    });
    expect(Math.max(...world.approvals.asked)).toBe(100);
    expect(world.approvals.asked.length).toBeLessThan(15);
    const leased = await world.database.pool.query('select from operations where fence > 1');
    expect([leased.rowCount, world.policy.authorized]).toEqual([0, 0]);
    expect(await engine.run(world.kind, world.call())).toMatchObject({ state: 'confirmed' });
  });
});

/** That exactly one effect is there, and nothing is left to do or reserved. */
async function expectOneEffect(call: ReturnType<World['call']>): Promise<void> {
  const heir = world.engine();
  await eventually(() => world.chain.effects === 1);
  expect(await heir.run(world.kind, call)).toMatchObject({ state: 'confirmed' });
  world.chain.finalize();
  await eventually(async () => (await world.openRows()) === 0);
  expect([world.chain.effects, world.policy.open, world.signer.signed.size]).toEqual([1, 0, 1]);
}

describe.each<CheckpointPoint>([
  'after-approval',
  'after-build',
  'after-reservation',
  'after-signing',
  'after-persisting',
  'after-broadcast',
])('a process that dies %s of an approved operation', (place) => {
  it('leaves it to another, with one effect', async () => {
    const { call, approvalId } = await parked(passive());
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    const { engine, died } = world.dyingEngine(place);
    void engine.run(world.kind, call).catch(() => {});
    await died;
    await expectOneEffect(call);
  });
});

describe('a process that dies once it has parked an operation', () => {
  it('leaves one effect where it is approved', async () => {
    const { call, approvalId } = await parkedByDying('after-parking');
    decide(approvalId, ApprovalState.APPROVAL_STATE_APPROVED);
    await expectOneEffect(call);
  });

  it('leaves none where it is rejected', async () => {
    const { call, approvalId } = await parkedByDying('after-parking');
    decide(approvalId, ApprovalState.APPROVAL_STATE_REJECTED);
    const heir = world.engine();
    await eventually(async () => (await rowOf(call.id)).state === 'rejected');
    expect(await heir.run(world.kind, call)).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } });
    await eventually(async () => (await world.openRows()) === 0);
    expect([world.chain.effects, world.policy.open]).toEqual([0, 0]);
  });
});

/** An operation that was parked by a process that died then. */
async function parkedByDying(place: string) {
  const { approvalId, error } = world.approvals.request();
  world.policy.moods.push(error);
  const { engine, died } = world.dyingEngine(place);
  const call = world.call();
  void engine.run(world.kind, call).catch(() => {});
  await died;
  expect((await rowOf(call.id)).state).toBe('awaiting_approval');
  return { call, approvalId };
}
