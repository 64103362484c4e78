import type { Outbox } from '@agent-wallet/events';
import { notFound } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import { MAX_LIVE_TOKENS, type Token, type TokenGrant, tooManyTokens } from '../domain/token.js';
import type { TokenKey, TokenStore } from '../ports/token-store.js';
import { endApprovalsOfToken } from './owners/approval-rows.js';
import { countDecided } from './owners/count-approvals.js';
import { lockPolicy } from './policy-rows.js';
import { withStoreErrors } from './store-error.js';
import { endTokens, findToken, hasToken, listTokens, liveTokens, storeToken } from './token-rows.js';

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
      const { nowMs, live } = await liveTokens(tx, agentId);
      const grant = check(nowMs);
      if (live >= MAX_LIVE_TOKENS) throw tooManyTokens();
      await storeToken(tx, this.outbox, { agentId, tokenId }, grant);
      return (await findToken(tx, agentId, tokenId))!;
    });
  }

  async end({ agentId, tokenId }: TokenKey): Promise<string[] | undefined> {
    const ended = await this.#locked(agentId, async (tx) => {
      if (!(await hasToken(tx, agentId, tokenId))) return undefined;
      await endTokens(tx, this.outbox, agentId, [tokenId]);
      return endApprovalsOfToken(tx, this.outbox, { agentId, tokenId });
    });
    for (const { kind, state } of ended ?? []) countDecided(kind, state);
    return ended?.flatMap(({ operationId }) => operationId ?? []);
  }

  list(agentId: string): Promise<Token[]> {
    return withStoreErrors(() => listTokens(this.database.pool, agentId));
  }

  bind({ agentId, tokenId }: TokenKey, operationId: string): Promise<string | undefined> {
    return withStoreErrors(async () => {
      const { rows } = await this.database.pool.query<{ token_id: string }>({
        name: 'policy-bind-operation',
        text: `insert into token_operations (operation_id, token_id)
               select $3, t.id from tokens t where t.id = $2 and t.agent_id = $1
               on conflict (operation_id) do update set token_id = token_operations.token_id returning token_id`,
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
