import { auditV1 } from '@agent-wallet/contracts';
import { newId, NIL_UUID } from '@agent-wallet/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, type PolicyClient, transferIntent } from './service.js';

const { address } = newWallet();
const BY = { operator: 'alice', reason: 'a stolen laptop' };

let policy: PolicyUnderTest;
let ops: PolicyClient;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  ops = await policy.service.as('ops');
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());
afterEach(() => policy.database.rows('delete from freezes'));

const check = () => policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent: transferIntent(address) });

/** Facts of the outbox that concern a subject, read while the relay is held back. */
async function factsDuring(subject: string, work: () => Promise<unknown>): Promise<auditV1.AuditEvent['fact'][]> {
  const client = await policy.database.policy.pool.connect();
  try {
    await client.query('select pg_advisory_lock(7214002, hashtext($1))', ['policy']);
    await work();
    const { rows } = await client.query<{ payload: Buffer }>(
      'select payload from outbox where agent_id = $1 order by id',
      [subject],
    );
    return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact);
  } finally {
    await client.query('select pg_advisory_unlock_all()');
    client.release();
  }
}

describe('a freeze by an operator', () => {
  it('is reported to the agent as a rule, by authorize and by dry run', async () => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    await policy.wallet.authorize(request);
    expect(await ops.setFreeze({ ...BY, agentId: policy.agentId, frozen: true })).toEqual({ changed: true });
    await expect(policy.wallet.authorize(request)).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'frozen', suggestion: expect.any(String) },
    });
    expect(await check()).toMatchObject({ allowed: false, rule: 'frozen', valueUsdMicros: 1_000_000n });
    expect(await ops.setFreeze({ ...BY, agentId: policy.agentId, frozen: false })).toEqual({ changed: true });
    expect((await policy.wallet.authorize(request)).reservedUsdMicros).toBe(1_000_000n);
    expect(await check()).toMatchObject({ allowed: true });
  });

  it('of everything is reported likewise, survives a restart, and is listed with actor and reason', async () => {
    await ops.setFreeze({ ...BY, agentId: '', frozen: true });
    await ops.setFreeze({ ...BY, agentId: policy.agentId.toUpperCase(), frozen: true });
    await policy.restart();
    ops = await policy.service.as('ops');
    expect(await check()).toMatchObject({ allowed: false, rule: 'frozen' });
    const { freezes } = await ops.listFreezes({});
    expect(freezes).toMatchObject([
      { ...BY, agentId: '' },
      { ...BY, agentId: policy.agentId },
    ]);
    freezes.forEach(({ sinceMs }) => expect(Math.abs(Number(sinceMs) - Date.now())).toBeLessThan(10_000));
    await ops.setFreeze({ ...BY, agentId: '', frozen: false });
    expect((await ops.listFreezes({})).freezes).toHaveLength(1);
  });

  it.each(['an agent', 'everything'])('is recorded in the audit log once, when it changes %s', async (what) => {
    const [agentId, subject] = what === 'an agent' ? [policy.agentId, policy.agentId] : ['', NIL_UUID];
    const facts = await factsDuring(subject, async () => {
      expect(await ops.setFreeze({ ...BY, agentId, frozen: false })).toEqual({ changed: false });
      expect(await ops.setFreeze({ ...BY, agentId, frozen: true })).toEqual({ changed: true });
      expect(await ops.setFreeze({ ...BY, agentId, frozen: true })).toEqual({ changed: false });
      expect(await ops.setFreeze({ operator: 'bob', reason: 'found', agentId, frozen: false })).toEqual({
        changed: true,
      });
    });
    expect(facts).toEqual([
      { $case: 'operatorActed', value: { ...BY, action: 'freeze', operationId: '' } },
      { $case: 'operatorActed', value: { operator: 'bob', reason: 'found', action: 'unfreeze', operationId: '' } },
    ]);
  });

  it('is not made for an agent that is not there, nor without a name and a reason', async () => {
    await expect(ops.setFreeze({ ...BY, agentId: newId(), frozen: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const [field, change] of [
      ['operator', { operator: ' ' }],
      ['operator', { operator: 'x'.repeat(201) }],
      ['reason', { reason: '' }],
      ['reason', { reason: 'x'.repeat(1_001) }],
      ['reason', { reason: 'a\0b' }],
      ['agentId', { agentId: 'all' }],
    ] as const) {
      const order = { ...BY, agentId: policy.agentId, frozen: true, ...change };
      await expect(ops.setFreeze(order)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
    }
    expect((await ops.listFreezes({})).freezes).toEqual([]);
  });
});
