import type { Outbox } from '@agent-wallet/events';
import type { Database } from '@agent-wallet/platform';
import type { Policy, VersionedPolicy } from '../domain/policy.js';
import type { Origin, PolicyEdit, PolicyStore } from '../ports/policy-store.js';
import { hasPendingClaim } from './owners/approval-rows.js';
import { findPolicy, insertPolicy, lockPolicy, storePolicy } from './policy-rows.js';
import { withStoreErrors } from './store-error.js';

/** Policies in the schema `policy`, changed under the lock that reservations take. */
export class PostgresPolicyStore implements PolicyStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  find(agentId: string): Promise<VersionedPolicy | undefined> {
    return withStoreErrors(() => findPolicy(this.database.pool, agentId));
  }

  create(agentId: string, policy: Policy, origin: Origin): Promise<VersionedPolicy> {
    return withStoreErrors(async () => {
      const { pool } = this.database;
      await insertPolicy(pool, agentId, policy, origin);
      return (await findPolicy(pool, agentId))!;
    });
  }

  change(agentId: string, change: PolicyEdit): Promise<VersionedPolicy | undefined> {
    return withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        const locked = await lockPolicy(tx, agentId);
        if (!locked) return undefined;
        const isBeingClaimed = !locked.isClaimed && (await hasPendingClaim(tx, agentId));
        const after = change(locked, isBeingClaimed);
        return storePolicy(tx, this.outbox, { agentId, before: locked, after, actor: 'agent' });
      }),
    );
  }
}
