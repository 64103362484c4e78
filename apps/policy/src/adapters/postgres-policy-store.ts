import type { Outbox } from '@agent-wallet/events';
import { type Database, databaseError } from '@agent-wallet/platform';
import type { NewRecipients, Policy, VersionedPolicy } from '../domain/policy.js';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { PolicyEdit, PolicyStore } from '../ports/policy-store.js';
import { lockPolicy, storePolicy } from './policy-rows.js';
import { withStoreErrors } from './store-error.js';

const FIELDS = {
  maxSingleTransactionUsdMicros: true,
  dailyLimitUsdMicros: true,
  allowedRecipients: true,
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: true,
  approvalLifetimeHours: true,
  newRecipients: true,
  newRecipientCoolDownHours: true,
  approveAboveUsdMicros: true,
  version: true,
} as const;

/** Prisma knows the column as a text. */
function policyOf({
  newRecipients,
  ...policy
}: Omit<VersionedPolicy, 'newRecipients'> & { readonly newRecipients: string }): VersionedPolicy {
  return { ...policy, newRecipients: newRecipients as NewRecipients };
}

/** Policies in the schema `policy`: read through Prisma, changed under the lock that reservations take. */
export class PostgresPolicyStore implements PolicyStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly outbox: Outbox,
  ) {}

  async find(agentId: string): Promise<VersionedPolicy | undefined> {
    try {
      const found = await this.prisma.policy.findUnique({ where: { agentId }, select: FIELDS });
      return found ? policyOf(found) : undefined;
    } catch (error) {
      throw databaseError(error);
    }
  }

  async create(agentId: string, policy: Policy): Promise<VersionedPolicy> {
    try {
      const data = { agentId, ...policy, allowedRecipients: [...policy.allowedRecipients] };
      await this.prisma.policy.createMany({ data, skipDuplicates: true });
      return policyOf(await this.prisma.policy.findUniqueOrThrow({ where: { agentId }, select: FIELDS }));
    } catch (error) {
      throw databaseError(error);
    }
  }

  change(agentId: string, change: PolicyEdit): Promise<VersionedPolicy | undefined> {
    return withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        const locked = await lockPolicy(tx, agentId);
        if (!locked) return undefined;
        const after = change(locked.policy, locked.isClaimed);
        return storePolicy(tx, this.outbox, { agentId, before: locked.policy, after });
      }),
    );
  }
}
