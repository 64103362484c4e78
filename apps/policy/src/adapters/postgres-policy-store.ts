import type { Outbox } from '@agent-wallet/events';
import { type Database, databaseError } from '@agent-wallet/platform';
import { differences, type Policy } from '../domain/policy.js';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { PolicyStore } from '../ports/policy-store.js';

const FIELDS = {
  maxSingleTransactionUsdMicros: true,
  dailyLimitUsdMicros: true,
  allowedRecipients: true,
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: true,
} as const;

interface LockedRow {
  readonly max_single_transaction_usd_micros: string;
  readonly daily_limit_usd_micros: string;
  readonly allowed_recipients: string[];
  readonly allow_trading: boolean;
  readonly allow_liquidity_provision: boolean;
  readonly allow_prediction_markets: boolean;
  readonly session_expiration_hours: number;
}

/** Policies in the schema `policy`: read through Prisma, changed under the lock that reservations take. */
export class PostgresPolicyStore implements PolicyStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly outbox: Outbox,
  ) {}

  async find(agentId: string): Promise<Policy | undefined> {
    try {
      return (await this.prisma.policy.findUnique({ where: { agentId }, select: FIELDS })) ?? undefined;
    } catch (error) {
      throw databaseError(error);
    }
  }

  async create(agentId: string, policy: Policy): Promise<Policy> {
    try {
      const data = { agentId, ...policy, allowedRecipients: [...policy.allowedRecipients] };
      await this.prisma.policy.createMany({ data, skipDuplicates: true });
      return await this.prisma.policy.findUniqueOrThrow({ where: { agentId }, select: FIELDS });
    } catch (error) {
      throw databaseError(error);
    }
  }

  async change(agentId: string, change: (policy: Policy) => Policy): Promise<Policy | undefined> {
    try {
      return await this.database.transaction(async (tx) => {
        const { rows } = await tx.query<LockedRow>({
          name: 'policy-lock',
          text: 'select * from policies where agent_id = $1 for no key update',
          values: [agentId],
        });
        if (!rows[0]) return undefined;
        const before = policyOf(rows[0]);
        const wanted = change(before);
        const changes = differences(before, wanted);
        if (changes.length === 0) return before;
        await tx.query({ name: 'policy-change', text: CHANGE, values: [agentId, ...columnsOf(wanted)] });
        await this.outbox.write(tx, agentId, { $case: 'policyChanged', value: { changes } });
        return wanted;
      });
    } catch (error) {
      throw databaseError(error);
    }
  }
}

const CHANGE = `update policies set max_single_transaction_usd_micros = $2, daily_limit_usd_micros = $3,
  allowed_recipients = $4, allow_trading = $5, allow_liquidity_provision = $6, allow_prediction_markets = $7,
  session_expiration_hours = $8 where agent_id = $1`;

function columnsOf(policy: Policy): unknown[] {
  return [
    policy.maxSingleTransactionUsdMicros,
    policy.dailyLimitUsdMicros,
    policy.allowedRecipients,
    policy.allowTrading,
    policy.allowLiquidityProvision,
    policy.allowPredictionMarkets,
    policy.sessionExpirationHours,
  ];
}

function policyOf(row: LockedRow): Policy {
  return {
    maxSingleTransactionUsdMicros: BigInt(row.max_single_transaction_usd_micros),
    dailyLimitUsdMicros: BigInt(row.daily_limit_usd_micros),
    allowedRecipients: row.allowed_recipients,
    allowTrading: row.allow_trading,
    allowLiquidityProvision: row.allow_liquidity_provision,
    allowPredictionMarkets: row.allow_prediction_markets,
    sessionExpirationHours: row.session_expiration_hours,
  };
}
