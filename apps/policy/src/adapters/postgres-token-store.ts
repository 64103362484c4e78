import type { Outbox } from '@agent-wallet/events';
import { notFound, type TokenScope } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import { MAX_LIVE_TOKENS, type Token, type TokenGrant, tooManyTokens } from '../domain/token.js';
import type { TokenKey, TokenStore } from '../ports/token-store.js';
import { endApprovalsOfToken } from './owners/approval-rows.js';
import { countDecided } from './owners/count-approvals.js';
import { lockPolicy } from './policy-rows.js';
import { withStoreErrors } from './store-error.js';

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
  t.created_at, t.expires_at, token_spent(t.id, policy.window_start(policy.now()), null) as used_today,
  token_spent(t.id, '-infinity', null) as used`;
const IS_LIVE = 't.ended_at is null and t.expires_at > policy.now()';

/** Scoped tokens in the schema `policy`. Each change locks the agent's policy first, so that no reservation overlooks it. */
export class PostgresTokenStore implements TokenStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  open({ agentId, tokenId }: TokenKey, check: (nowMs: number) => TokenGrant): Promise<Token> {
    return this.#locked(agentId, async (tx) => {
      const known = await findToken(tx, agentId, tokenId);
      if (known) return known;
      const { rows } = await tx.query<{ now: Date; live: number }>(
        `select policy.now() as now, (select count(*)::int from tokens t where t.agent_id = $1 and ${IS_LIVE}) as live`,
        [agentId],
      );
      const grant = check(rows[0]!.now.getTime());
      if (rows[0]!.live >= MAX_LIVE_TOKENS) throw tooManyTokens();
      await insertToken(tx, { agentId, tokenId }, grant);
      const { name, scopes, expiresAtMs } = grant;
      const value = { tokenId, name, scopes: [...scopes], expiresAtMs: BigInt(expiresAtMs) };
      await this.outbox.write(tx, agentId, { $case: 'tokenOpened', value });
      return (await findToken(tx, agentId, tokenId))!;
    });
  }

  async end({ agentId, tokenId }: TokenKey): Promise<string[] | undefined> {
    const ended = await this.#locked(agentId, async (tx) => {
      if (!(await findToken(tx, agentId, tokenId))) return undefined;
      await endTokens(tx, this.outbox, agentId, [tokenId]);
      return endApprovalsOfToken(tx, this.outbox, { agentId, tokenId });
    });
    for (const { kind, state } of ended ?? []) countDecided(kind, state);
    return ended?.flatMap(({ operationId }) => operationId ?? []);
  }

  list(agentId: string): Promise<Token[]> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<TokenRow>({
        name: 'policy-list-tokens',
        text: `select ${COLUMNS} from tokens t where t.agent_id = $1 and ${IS_LIVE} order by t.created_at, t.id`,
        values: [agentId],
      });
      return rows.map(tokenOf);
    });
  }

  bind({ agentId, tokenId }: TokenKey, operationId: string): Promise<string | undefined> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<{ token_id: string }>({
        name: 'policy-bind-operation',
        text: `with bound as (
                 insert into token_operations (operation_id, token_id)
                 select $3, t.id from tokens t where t.id = $2 and t.agent_id = $1
                 on conflict (operation_id) do update set token_id = token_operations.token_id returning token_id)
               select token_id from bound`,
        values: [agentId, tokenId, operationId],
      });
      return rows[0]?.token_id;
    });
  }

  #locked<T>(agentId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withStoreErrors(() =>
      this.database.transaction(async (tx) => {
        if (!(await lockPolicy(tx, agentId))) throw notFound('policy', 'The first login of the agent creates it.');
        return work(tx);
      }),
    );
  }
}

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

async function findToken(tx: Queryable, agentId: string, tokenId: string): Promise<Token | undefined> {
  const { rows } = await tx.query<TokenRow>(`select ${COLUMNS} from tokens t where t.id = $2 and t.agent_id = $1`, [
    agentId,
    tokenId,
  ]);
  return rows[0] && tokenOf(rows[0]);
}

async function insertToken(tx: Queryable, { agentId, tokenId }: TokenKey, grant: TokenGrant): Promise<void> {
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
