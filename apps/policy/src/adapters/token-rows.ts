import type { Outbox } from '@agent-wallet/events';
import type { TokenScope } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { Token, TokenGrant } from '../domain/token.js';
import type { TokenKey } from '../ports/token-store.js';

/** Rows of scoped tokens. */

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly recipients: string[] | null;
  readonly max_single_usd_micros: string | null;
  readonly daily_usd_micros: string | null;
  readonly total_usd_micros: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_today: string;
  readonly used: string;
}

const COLUMNS = `t.id, t.name, t.scopes, t.recipients, t.max_single_usd_micros, t.daily_usd_micros, t.total_usd_micros,
  t.created_at, t.expires_at, u.today as used_today, u.total as used`;
const TOKENS = 'tokens t, token_used(t, policy.window_start(policy.now()), null) u';
const IS_LIVE = 't.ended_at is null and t.expires_at > policy.now()';

/** Ends those of these tokens that are the agent's and live, and publishes it. The caller holds the lock of the policy. */
export async function endTokens(
  tx: Queryable,
  outbox: Outbox,
  agentId: string,
  tokenIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `update tokens t set ended_at = policy.now() where t.agent_id = $1 and t.id = any ($2) and ${IS_LIVE} returning t.id`,
    [agentId, tokenIds],
  );
  const facts = rows.map(({ id }) => ({ agentId, fact: { $case: 'tokenEnded', value: { tokenId: id } } as const }));
  await outbox.writeAll(tx, facts);
}

/** Reports whether an agent has a token, live or not. */
export async function hasToken(tx: Queryable, agentId: string, tokenId: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from tokens where id = $2 and agent_id = $1', [agentId, tokenId]);
  return rowCount === 1;
}

/** Returns a token of an agent, live or not. */
export async function findToken(tx: Queryable, agentId: string, tokenId: string): Promise<Token | undefined> {
  const { rows } = await tx.query<TokenRow>(`select ${COLUMNS} from ${TOKENS} where t.id = $2 and t.agent_id = $1`, [
    agentId,
    tokenId,
  ]);
  return rows[0] && tokenOf(rows[0]);
}

/** Lists the live tokens of an agent, the oldest first. */
export async function listTokens(on: Queryable, agentId: string): Promise<Token[]> {
  const { rows } = await on.query<TokenRow>({
    name: 'policy-list-tokens',
    text: `select ${COLUMNS} from ${TOKENS} where t.agent_id = $1 and ${IS_LIVE} order by t.created_at, t.id`,
    values: [agentId],
  });
  return rows.map(tokenOf);
}

/** Counts the live tokens of an agent, at the time of the database. */
export async function liveTokens(tx: Queryable, agentId: string): Promise<{ nowMs: number; live: number }> {
  const { rows } = await tx.query<{ now: Date; live: number }>(
    `select policy.now() as now, (select count(*)::int from tokens t where t.agent_id = $1 and ${IS_LIVE}) as live`,
    [agentId],
  );
  return { nowMs: rows[0]!.now.getTime(), live: rows[0]!.live };
}

/** Stores a token and publishes it. The caller holds the lock of the policy. */
export async function storeToken(
  tx: Queryable,
  outbox: Outbox,
  { agentId, tokenId }: TokenKey,
  grant: TokenGrant,
): Promise<void> {
  const { name, scopes, recipients, maxSingleUsdMicros, dailyUsdMicros, totalUsdMicros, expiresAtMs } = grant;
  await tx.query(
    `insert into tokens (id, agent_id, name, scopes, recipients, max_single_usd_micros, daily_usd_micros,
       total_usd_micros, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, policy.now(), $9)`,
    [
      tokenId,
      agentId,
      name,
      scopes,
      recipients,
      maxSingleUsdMicros,
      dailyUsdMicros,
      totalUsdMicros,
      new Date(expiresAtMs),
    ],
  );
  const value = { tokenId, name, scopes: [...scopes], expiresAtMs: BigInt(expiresAtMs) };
  await outbox.write(tx, agentId, { $case: 'tokenOpened', value });
}

function tokenOf(row: TokenRow): Token {
  const amount = (text: string | null) => (text === null ? undefined : BigInt(text));
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    recipients: row.recipients ?? undefined,
    maxSingleUsdMicros: amount(row.max_single_usd_micros),
    dailyUsdMicros: amount(row.daily_usd_micros),
    totalUsdMicros: amount(row.total_usd_micros),
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    usedTodayUsdMicros: BigInt(row.used_today),
    usedUsdMicros: BigInt(row.used),
  };
}
