import type { Outbox } from '@agent-wallet/events';
import type { Database } from '@agent-wallet/platform';
import type { NewRecipients, Policy, VersionedPolicy } from '../domain/policy.js';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import type { Origin, PolicyEdit, PolicyStore } from '../ports/policy-store.js';
import { hasPendingClaim } from './owners/approval-rows.js';
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
  allowedTokens: true,
  ownerListedTokens: true,
  allowedMarkets: true,
  maxTradeLossBps: true,
  unpricedTokens: true,
  allowMailLogin: true,
  version: true,
  claimedAt: true,
} as const;

/** Policies in the schema `policy`: read through Prisma, changed under the lock that reservations take. */
export class PostgresPolicyStore implements PolicyStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly outbox: Outbox,
  ) {}

  find(agentId: string): Promise<VersionedPolicy | undefined> {
    return withStoreErrors(async () => {
      const row = await this.prisma.policy.findUnique({ where: { agentId }, select: FIELDS });
      return row ? policyOf(row) : undefined;
    });
  }

  create(agentId: string, policy: Policy, { namedOwnerId, mailboxId: id }: Origin): Promise<VersionedPolicy> {
    return withStoreErrors(async () => {
      const { allowedRecipients, allowedTokens, allowedMarkets, unpricedTokens, ...plain } = policy;
      const lists = { allowedTokens: jsonOf(allowedTokens), allowedMarkets: jsonOf(allowedMarkets) };
      const texts = { allowedRecipients: [...allowedRecipients], unpricedTokens: [...unpricedTokens] };
      const mailboxId = id ? new Uint8Array(id) : null;
      const data = { agentId, ...plain, ...lists, ...texts, namedOwnerId: namedOwnerId ?? null, mailboxId };
      const { count } = await this.prisma.policy.createMany({ data, skipDuplicates: true });
      if (count === 0 && mailboxId) {
        await this.database.pool.query(
          'update policy.policies set mailbox_id = $2 where agent_id = $1 and mailbox_id is null',
          [agentId, mailboxId],
        );
      }
      return policyOf(await this.prisma.policy.findUniqueOrThrow({ where: { agentId }, select: FIELDS }));
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

type Untyped = 'newRecipients' | 'allowedTokens' | 'allowedMarkets';

interface FoundPolicy extends Omit<VersionedPolicy, 'isClaimed' | Untyped> {
  readonly claimedAt: Date | null;
  /** Prisma knows the column as a text, and the lists as JSON. */
  readonly newRecipients: string;
  readonly allowedTokens: Prisma.JsonValue;
  readonly allowedMarkets: Prisma.JsonValue;
}

function policyOf({
  claimedAt,
  newRecipients,
  allowedTokens,
  allowedMarkets,
  ...policy
}: FoundPolicy): VersionedPolicy {
  return {
    ...policy,
    newRecipients: newRecipients as NewRecipients,
    allowedTokens: allowedTokens as string[] | null,
    allowedMarkets: allowedMarkets as string[] | null,
    isClaimed: claimedAt !== null,
  };
}

function jsonOf(list: readonly string[] | null): string[] | typeof Prisma.DbNull {
  return list ? [...list] : Prisma.DbNull;
}
