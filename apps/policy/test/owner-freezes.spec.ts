import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import type { PolicyClient } from './service.js';

const { APPROVAL_STATE_APPLIED: APPLIED, APPROVAL_STATE_SUPERSEDED: SUPERSEDED } = policyV1.ApprovalState;
const BY_OPERATOR = { operator: 'alice', reason: 'a test' };

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let operator: PolicyClient;
let owner: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
  operator = await policy.service.as('ops');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
});

const freeze = (ownerId = owner.ownerId) => policy.owners.freezeAgent({ agentId: policy.agentId, ownerId });
const byOperator = (frozen: boolean) => operator.setFreeze({ agentId: policy.agentId, frozen, ...BY_OPERATOR });

const isFrozen = () =>
  wallet.checkSpending({ agentId: policy.agentId, spending: policyV1.Spending.SPENDING_PAYMENT }).then(
    () => false,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'frozen' } });
      return true;
    },
  );

/** Works while a transaction holds a lock. */
async function holding(lock: string, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await policy.database.policy.pool.connect();
  try {
    await client.query('begin');
    await client.query(lock);
    await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('a freeze by an owner', () => {
  it('is in effect at once, and ends by a signature alone; both are published', async () => {
    const facts = await policy.factsDuring(policy.agentId, async () => {
      expect(await freeze()).toEqual({ changed: true });
      expect(await freeze()).toEqual({ changed: false });
      expect(await isFrozen()).toBe(true);
      const asked = await policy.requestUnfreeze(owner.ownerId);
      expect((await policy.requestUnfreeze(owner.ownerId)).approvalId).toBe(asked.approvalId);
      expect(documentOf(asked)).toMatchObject({ kind: 'unfreeze', terms: { frozenSince: expect.any(String) } });
      expect(await isFrozen()).toBe(true);
      expect(await policy.vote(owner, asked)).toBe(APPLIED);
    });
    expect(await isFrozen()).toBe(false);
    const acted = facts.flatMap((fact) => (fact.$case === 'operatorActed' ? [fact.value] : []));
    expect(acted).toMatchObject([
      { operator: `owner ${owner.ownerId}`, action: 'freeze' },
      { operator: `owner ${owner.ownerId}`, action: 'unfreeze' },
    ]);
  });

  it('and one by an operator are independent: lifting either leaves the other', async () => {
    await freeze();
    await byOperator(true);
    expect((await operator.listFreezes({})).freezes.filter(({ agentId }) => agentId === policy.agentId)).toMatchObject([
      { source: 'owner', operator: `owner ${owner.ownerId}` },
      { source: 'operator', operator: 'alice' },
    ]);
    expect(await policy.vote(owner, await policy.requestUnfreeze(owner.ownerId))).toBe(APPLIED);
    expect(await isFrozen()).toBe(true);
    await freeze();
    await byOperator(false);
    expect(await isFrozen()).toBe(true);
    expect(await policy.vote(owner, await policy.requestUnfreeze(owner.ownerId))).toBe(APPLIED);
    expect(await isFrozen()).toBe(false);
  });

  it('is refused for an agent of another, and so is its end', async () => {
    const stranger = await policy.newOwner();
    for (const ownerId of [stranger.ownerId, newId()]) {
      await expect(freeze(ownerId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(policy.requestUnfreeze(ownerId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await isFrozen()).toBe(false);
    await expect(policy.requestUnfreeze(owner.ownerId)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('that came after the document was made is not lifted by it', async () => {
    await freeze();
    const first = await policy.requestUnfreeze(owner.ownerId);
    await policy.database.rows(
      `update freezes set since = since + interval '1 second' where agent_id = $1 and source = 'owner'`,
      policy.agentId,
    );
    expect(await policy.vote(owner, first)).toBe(SUPERSEDED);
    expect(await isFrozen()).toBe(true);
  });

  it('that is there already is answered while an authorization is under way', async () => {
    await freeze();
    await byOperator(true);
    await holding('lock table freezes in row share mode', async () => {
      expect([await freeze(), await byOperator(true)]).toEqual([{ changed: false }, { changed: false }]);
    });
    await byOperator(false);
  });

  it('ends without a wait of another agent, also while a vote waits for its policy', async () => {
    await freeze();
    const { agentId } = policy;
    const asked = await policy.requestUnfreeze(owner.ownerId);
    let voted: Promise<unknown> | undefined;
    await holding(`select from policies where agent_id = '${agentId}' for update`, async (client) => {
      voted = policy.vote(owner, asked);
      await eventually(async () => {
        const waiting = await policy.database.rows(
          `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%policies%'
           and datname = current_database()`,
        );
        return waiting.length === 1;
      });
      // As an authorization does.
      await client.query(`set local lock_timeout = '1s'`);
      await client.query('select from freezes where agent_id = $1 for key share', [newId()]);
    });
    expect(await voted).toBe(APPLIED);
    expect(await isFrozen()).toBe(false);
  });

  it('waits for no vote in a circle: authorizations, freezes and votes at once all end', async () => {
    await freeze();
    const asked = await policy.requestUnfreeze(owner.ownerId);
    const checks = Array.from({ length: 10 }, () => isFrozen());
    const onAndOff = byOperator(true).then(() => byOperator(false));
    const [state] = await Promise.all([policy.vote(owner, asked), ...checks, onAndOff]);
    expect(state).toBe(APPLIED);
    // Either of the operator's two may have been the last.
    await byOperator(false);
    expect(await isFrozen()).toBe(false);
  });
});
