import type { Outbox } from '@agent-wallet/events';
import { NIL_UUID } from '@agent-wallet/kernel';
import { type Database, databaseError, type Queryable } from '@agent-wallet/platform';
import type { Freeze, FreezeCommand, FreezeList, FreezeStore } from '../ports/freeze-store.js';
import type { Owned } from '../domain/owners/owned.js';
import { isOwner, noteOf } from './owners/owned-agents.js';
import { withStoreErrors } from './store-error.js';

interface FreezeRow {
  readonly agent_id: string;
  readonly operator: string;
  readonly reason: string;
  readonly since: Date;
  readonly source: Freeze['source'];
}

/** Freezes in a list: a recovery may freeze any number of agents. */
const MAX_LISTED = 1_000;

/** Freezes in the schema `policy`, which every authorization reads: a change waits for those under way, and later ones for it. */
export class PostgresFreezeStore implements FreezeStore {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  async set(order: FreezeCommand): Promise<{ readonly changed: boolean } | undefined> {
    return withStoreErrors(async () => {
      if (order.frozen && (await this.#isFrozen(order.agentId ?? NIL_UUID, 'operator'))) return { changed: false };
      return this.database.transaction((tx) => this.#set(tx, order));
    });
  }

  /**
   * Checks the freeze before a change takes its lock, because every authorization waits for that lock. The row lock
   * waits for a running transaction that ends the freeze. Uses a transaction of its own: two changes that kept the row
   * lock would wait for each other.
   */
  async #isFrozen(agentId: string, source: Freeze['source']): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(
      'select from freezes where agent_id = $1 and source = $2 for key share',
      [agentId, source],
    );
    return rowCount !== 0;
  }

  async #set(tx: Queryable, { agentId, frozen, operator, reason }: FreezeCommand) {
    const subject = agentId ?? NIL_UUID;
    if (agentId !== undefined) {
      const { rowCount } = await tx.query('select from policies where agent_id = $1', [agentId]);
      if (rowCount === 0) return undefined;
    }
    await tx.query('lock table freezes in exclusive mode');
    const { rowCount } = frozen
      ? await tx.query(
          `insert into freezes (agent_id, operator, reason, since) values ($1, $2, $3, policy.now())
           on conflict do nothing`,
          [subject, operator, reason],
        )
      : await tx.query('delete from freezes where agent_id = $1 and source = $2', [subject, 'operator']);
    if (rowCount === 0) return { changed: false };
    const value = { operator, action: frozen ? 'freeze' : 'unfreeze', reason, operationId: '' };
    await this.outbox.write(tx, subject, { $case: 'operatorActed', value });
    return { changed: true };
  }

  setByOwner(owned: Owned): Promise<{ readonly changed: boolean } | undefined> {
    return withStoreErrors(async () => {
      if (!(await isOwner(this.database.pool, owned))) return undefined;
      if (await this.#isFrozen(owned.agentId, 'owner')) return { changed: false };
      return this.database.transaction((tx) => this.#setByOwner(tx, owned));
    });
  }

  async #setByOwner(tx: Queryable, owned: Owned) {
    // Under the lock: a release that takes the owners away ends their freeze, too.
    await tx.query('lock table freezes in exclusive mode');
    if (!(await isOwner(tx, owned))) return undefined;
    const note = noteOf(owned.ownerId);
    const { rowCount } = await tx.query(
      `insert into freezes (agent_id, operator, reason, since, source) values ($1, $2, $3, policy.now(), 'owner')
       on conflict do nothing`,
      [owned.agentId, note.operator, note.reason],
    );
    if (rowCount === 0) return { changed: false };
    const value = { ...note, action: 'freeze', operationId: '' };
    await this.outbox.write(tx, owned.agentId, { $case: 'operatorActed', value });
    return { changed: true };
  }

  async list(): Promise<FreezeList> {
    try {
      const { rows } = await this.database.pool.query<FreezeRow & { total: number }>(
        `select agent_id, operator, reason, since, source, count(*) over ()::integer as total
         from freezes order by since, agent_id, source limit $1`,
        [MAX_LISTED],
      );
      const freezes = rows.map(({ agent_id: agentId, operator, reason, since, source }) => ({
        agentId: agentId === NIL_UUID ? undefined : agentId,
        operator,
        reason,
        sinceMs: since.getTime(),
        source,
      }));
      return { freezes, total: rows[0]?.total ?? 0 };
    } catch (error) {
      throw databaseError(error);
    }
  }
}
