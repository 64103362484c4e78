import type { Outbox } from '@agent-wallet/events';
import type { Queryable } from '@agent-wallet/platform';
import { forEachPolicyField, POLICY_FIELD_LIST } from '@agent-wallet/kernel';
import { differences, type Policy, type VersionedPolicy } from '../domain/policy.js';
import type { Origin } from '../ports/policy-store.js';

/* A policy's row: read, locked and changed. The columns derive from the fields of a policy. */

/** A row by the names of its columns. */
type Row = Readonly<Record<string, unknown>>;

const COLUMNS = POLICY_FIELD_LIST.map(({ key }) => columnOf(key));

/** Columns beside those of the fields. */
const OTHERS = ['owner_listed_tokens', 'version', 'claimed_at'];

/** With its columns by name: a new one would change what `*` yields, and a prepared statement would fail from then on. */
const READ = `select ${[...COLUMNS, ...OTHERS].join(', ')} from policy.policies where agent_id = $1`;
const LOCK = `${READ} for no key update`;

/** Returns the name of a field's column. */
function columnOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A change of a policy, and who made it. */
export interface StoredChange {
  readonly agentId: string;
  readonly before: VersionedPolicy;
  readonly after: Policy;
  readonly actor: 'agent' | 'owner' | 'operator';
  /** The applied approval that says exactly this. */
  readonly approvalId?: string;
}

/** Returns an agent's policy. Undefined when it has none. */
export async function findPolicy(on: Queryable, agentId: string): Promise<VersionedPolicy | undefined> {
  const { rows } = await on.query<Row>({ name: 'policy-read', text: READ, values: [agentId] });
  return rows[0] && policyOf(rows[0]);
}

/** Takes the lock that reservations take. Undefined when the agent has no policy. */
export async function lockPolicy(tx: Queryable, agentId: string): Promise<VersionedPolicy | undefined> {
  const { rows } = await tx.query<Row>({ name: 'policy-lock', text: LOCK, values: [agentId] });
  return rows[0] && policyOf(rows[0]);
}

/** Adds the policy of a new agent, unless it has one. */
export async function insertPolicy(
  on: Queryable,
  agentId: string,
  policy: Policy,
  { namedOwnerId, mailboxId }: Origin,
): Promise<void> {
  const values = [agentId, ...columnsOf(policy), namedOwnerId ?? null, mailboxId ?? null];
  await on.query({ name: 'policy-insert', text: INSERT, values });
}

const INSERT = `insert into policy.policies as p (agent_id, ${COLUMNS.join(', ')}, named_owner_id, mailbox_id)
  values ($1, ${places(2)}, $${COLUMNS.length + 2}, $${COLUMNS.length + 3})
  on conflict (agent_id) do update set mailbox_id = excluded.mailbox_id
  where p.mailbox_id is null and excluded.mailbox_id is not null`;

/** Returns the places of the fields' values in a statement, from a number on. */
function places(from: number): string {
  return COLUMNS.map((_, i) => `$${from + i}`).join(', ');
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

const TREATMENT = `$${2 + COLUMNS.indexOf('new_recipients')}`;

const CHANGE = `update policy.policies set ${COLUMNS.map((column, i) => `${column} = $${2 + i}`).join(', ')},
  version = $${COLUMNS.length + 2}, owner_listed_tokens = $${COLUMNS.length + 3},
  new_recipients_since = case when ${TREATMENT} = 'allow' then null when new_recipients = 'allow' then policy.now()
    else new_recipients_since end
  where agent_id = $1`;

function columnsOf(policy: Policy): unknown[] {
  return POLICY_FIELD_LIST.map(({ key, kind }) => {
    const value = policy[key];
    // The driver takes a list for a Postgres array.
    return kind === 'allowList' && value !== null ? JSON.stringify(value) : value;
  });
}

function policyOf(row: Row): VersionedPolicy {
  const fields = forEachPolicyField(({ key, kind }) => {
    const value = row[columnOf(key)];
    return (kind === 'usd' || kind === 'optionalUsd') && value !== null ? BigInt(value as string) : value;
  });
  return {
    ...(fields as Policy),
    ownerListedTokens: row['owner_listed_tokens'] as string[],
    version: BigInt(row['version'] as string),
    isClaimed: row['claimed_at'] !== null,
  };
}
