import { newId } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lockPolicy, storePolicy } from '../src/adapters/policy-rows.js';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { loosenings } from '../src/domain/owners/loosening.js';
import type { Policy } from '../src/domain/policy.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { BOUNDS, NOW, sample, type Sample } from './decision-samples.js';
import { requestOf, setUp } from './decision-set-up.js';

let database: PolicyDatabase;
beforeAll(async () => {
  database = await openPolicyDatabase();
  await database.stopClock(NOW);
});
afterAll(() => database.close());

/** Fields that an agent may change without a signature, each in some direction. */
const FIELDS = [
  ...(['maxSingleTransactionUsdMicros', 'dailyLimitUsdMicros', 'allowedRecipients', 'allowTrading'] as const),
  ...(['allowLiquidityProvision', 'allowPredictionMarkets', 'newRecipients', 'newRecipientCoolDownHours'] as const),
  ...(['approveAboveUsdMicros', 'allowedTokens', 'allowedMarkets'] as const),
] satisfies ReadonlyArray<keyof Policy>;

/** Returns the fields of a sample's policy. */
function fieldsOf(given: Sample): Pick<Policy, (typeof FIELDS)[number]> {
  return {
    maxSingleTransactionUsdMicros: given.maxSingle,
    dailyLimitUsdMicros: given.dailyLimit,
    allowedRecipients: given.allowedRecipients,
    allowTrading: given.allowTrading,
    allowLiquidityProvision: given.allowLiquidityProvision,
    allowPredictionMarkets: given.allowPredictionMarkets,
    newRecipients: given.newRecipients,
    newRecipientCoolDownHours: given.coolDownHours,
    approveAboveUsdMicros: given.approveAbove,
    allowedTokens: given.allowedTokens,
    allowedMarkets: given.allowedMarkets,
  };
}

/** Another policy, of which some fields are taken over. */
const changes = fc.record({ other: sample, fields: fc.subarray([...FIELDS], { minLength: 1, maxLength: 3 }) });
const silent = { write: () => Promise.resolve() } as unknown as Outbox;

/** Changes that must be allowed unsigned before the comparison says something. */
const ENOUGH = 50;

describe('a change without a signature', () => {
  it('never turns a refusal, or a question to the owner, into a grant', async () => {
    let compared = 0;
    const property = fc.asyncProperty(sample, changes, async (drawn, { other, fields }) => {
      const given: Sample = { ...drawn, isClaimed: true, before: 'nothing', frozen: 'nothing' };
      const agentId = newId();
      const tx = await database.policy.pool.connect();
      try {
        await tx.query('begin');
        await setUp(tx, agentId, given);
        const store = new PostgresReservationStore({ ...database.policy, pool: tx } as never, BOUNDS);
        const asked = requestOf(agentId, given);
        const before = (await lockPolicy(tx, agentId))!;
        const taken = Object.entries(fieldsOf(other)).filter(([field]) => fields.includes(field as never));
        const after: Policy = { ...before, ...Object.fromEntries(taken) };
        if (loosenings(before, after, () => !given.recipientIsOffCurve).length > 0) return;
        const decided = (await store.dryRun(asked))!;
        await storePolicy(tx, silent, { agentId, before, after, actor: 'agent' });
        const later = (await store.dryRun(asked))!;
        compared += 1;
        if (later.verdict === 'granted') expect(decided.verdict).toBe('granted');
      } finally {
        await tx.query('rollback');
        tx.release();
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(400) });
    expect(compared).toBeGreaterThan(ENOUGH);
  });
});
