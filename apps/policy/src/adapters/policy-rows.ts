import type { Outbox } from '@agent-wallet/events';
import type { Queryable } from '@agent-wallet/platform';
import { differences, type NewRecipients, type Policy, type VersionedPolicy } from '../domain/policy.js';

/** A policy's row, locked and changed: by its agent, or by what its owner has signed. */

interface LockedRow {
  readonly max_single_transaction_usd_micros: string;
  readonly daily_limit_usd_micros: string;
  readonly allowed_recipients: string[];
  readonly allow_trading: boolean;
  readonly allow_liquidity_provision: boolean;
  readonly allow_prediction_markets: boolean;
  readonly session_expiration_hours: number;
  readonly approval_lifetime_hours: number;
  readonly new_recipients: NewRecipients;
  readonly new_recipient_cool_down_hours: number;
  readonly approve_above_usd_micros: string | null;
  readonly allowed_tokens: string[] | null;
  readonly owner_listed_tokens: string[];
  readonly allowed_markets: string[] | null;
  readonly max_trade_loss_bps: number | null;
  readonly unpriced_tokens: string[];
  readonly allow_mail_login: boolean;
  readonly version: string;
  readonly claimed_at: Date | null;
}

/** With its columns by name: a new one would change what `*` yields, and a prepared statement would fail from then on. */
const LOCK = `select max_single_transaction_usd_micros, daily_limit_usd_micros, allowed_recipients, allow_trading,
  allow_liquidity_provision, allow_prediction_markets, session_expiration_hours, approval_lifetime_hours, new_recipients,
  new_recipient_cool_down_hours, approve_above_usd_micros, allowed_tokens, owner_listed_tokens, allowed_markets, max_trade_loss_bps,
  unpriced_tokens, allow_mail_login, version, claimed_at
  from policies where agent_id = $1 for no key update`;

/** A change of a policy, and who made it. */
export interface StoredChange {
  readonly agentId: string;
  readonly before: VersionedPolicy;
  readonly after: Policy;
  readonly actor: 'agent' | 'owner' | 'operator';
  /** The applied approval that says exactly this. */
  readonly approvalId?: string;
}

/** Takes the lock that reservations take. Undefined when the agent has no policy. */
export async function lockPolicy(tx: Queryable, agentId: string): Promise<VersionedPolicy | undefined> {
  const { rows } = await tx.query<LockedRow>({
    name: 'policy-lock',
    text: LOCK,
    values: [agentId],
  });
  return rows[0] && policyOf(rows[0]);
}

/** Stores the fields of a locked policy, raises its version and publishes what changed, if anything did. */
export async function storePolicy(
  tx: Queryable,
  outbox: Outbox,
  { agentId, before, after, actor, approvalId }: StoredChange,
): Promise<VersionedPolicy> {
  const changes = differences(before, after);
  if (changes.length === 0) return before;
  const version = before.version + 1n;
  const ownerListedTokens = ownerListed(before, after, approvalId !== undefined);
  const values = [agentId, ...columnsOf(after), version, ownerListedTokens];
  await tx.query({ name: 'policy-change', text: CHANGE, values });
  await outbox.write(tx, agentId, { $case: 'policyChanged', value: { changes, actor, approvalId } });
  return { ...after, version, isClaimed: before.isClaimed, ownerListedTokens };
}

/**
 * Returns the tokens of the list after a change that an owner's signature added, by this change or an earlier one. One
 * that the agent listed stays the agent's, also when an owner signs something else.
 */
function ownerListed(before: VersionedPolicy, after: Policy, isSigned: boolean): readonly string[] {
  const isAdded = (mint: string) => isSigned && !before.allowedTokens?.includes(mint);
  return (after.allowedTokens ?? []).filter((mint) => isAdded(mint) || before.ownerListedTokens.includes(mint));
}

const CHANGE = `update policies set max_single_transaction_usd_micros = $2, daily_limit_usd_micros = $3,
  allowed_recipients = $4, allow_trading = $5, allow_liquidity_provision = $6, allow_prediction_markets = $7,
  session_expiration_hours = $8, approval_lifetime_hours = $9, new_recipients = $10,
  new_recipient_cool_down_hours = $11, approve_above_usd_micros = $12, allowed_tokens = $13,
  allowed_markets = $14, max_trade_loss_bps = $15, unpriced_tokens = $16, allow_mail_login = $17, version = $18, owner_listed_tokens = $19,
  new_recipients_since = case when $10 = 'allow' then null when new_recipients = 'allow' then policy.now()
    else new_recipients_since end
  where agent_id = $1`;

function columnsOf(policy: Policy): unknown[] {
  return [
    policy.maxSingleTransactionUsdMicros,
    policy.dailyLimitUsdMicros,
    policy.allowedRecipients,
    policy.allowTrading,
    policy.allowLiquidityProvision,
    policy.allowPredictionMarkets,
    policy.sessionExpirationHours,
    policy.approvalLifetimeHours,
    policy.newRecipients,
    policy.newRecipientCoolDownHours,
    policy.approveAboveUsdMicros,
    jsonOf(policy.allowedTokens),
    jsonOf(policy.allowedMarkets),
    policy.maxTradeLossBps,
    policy.unpricedTokens,
    policy.allowMailLogin,
  ];
}

/** Serializes a list, because the driver takes a list for a Postgres array. */
function jsonOf(list: readonly string[] | null): string | null {
  return list && JSON.stringify(list);
}

function policyOf(row: LockedRow): VersionedPolicy {
  return {
    maxSingleTransactionUsdMicros: BigInt(row.max_single_transaction_usd_micros),
    dailyLimitUsdMicros: BigInt(row.daily_limit_usd_micros),
    allowedRecipients: row.allowed_recipients,
    allowTrading: row.allow_trading,
    allowLiquidityProvision: row.allow_liquidity_provision,
    allowPredictionMarkets: row.allow_prediction_markets,
    sessionExpirationHours: row.session_expiration_hours,
    approvalLifetimeHours: row.approval_lifetime_hours,
    newRecipients: row.new_recipients,
    newRecipientCoolDownHours: row.new_recipient_cool_down_hours,
    approveAboveUsdMicros: row.approve_above_usd_micros === null ? null : BigInt(row.approve_above_usd_micros),
    allowedTokens: row.allowed_tokens,
    ownerListedTokens: row.owner_listed_tokens,
    allowedMarkets: row.allowed_markets,
    maxTradeLossBps: row.max_trade_loss_bps,
    unpricedTokens: row.unpriced_tokens,
    allowMailLogin: row.allow_mail_login,
    version: BigInt(row.version),
    isClaimed: row.claimed_at !== null,
  };
}
