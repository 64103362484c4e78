import { sleep } from '@agent-wallet/kernel';
import type { Database, DatabaseTransaction, Queryable } from '@agent-wallet/platform';
import type { Difference, RebuildStore, ReadFactsOf } from '../ports/rebuild-store.js';
import { APPEND_LOCK, heldAppendLock } from './locks.js';
import { compareTables } from './compare-tables.js';
import { type HistoryTables, LIVE, REBUILT } from './history-tables.js';
import { applyEvents } from './write-records.js';
import { LOCKS } from './locks.js';

/** Time to wait for a killed rebuild whose connection Postgres has not missed yet, in milliseconds. */
const LOCK_WAIT_MS = 10_000;
/** Less than Postgres waits before it looks for deadlocks, so that this job gives way and no reader. */
const SWAP_WAIT_MS = 200;
const SWAP_PAUSE_MS = 100;
const BATCH_COUNT = 2_000;
const TABLES = Object.keys(LIVE) as ReadonlyArray<keyof HistoryTables>;

/** The tables `rebuilt_…`, and how far they are in `rebuild_progress`. The database is that of the schema's owner. */
export class PostgresRebuildStore implements RebuildStore {
  private holder: DatabaseTransaction | undefined;

  constructor(
    private readonly database: Database,
    private readonly lockWaitMs = LOCK_WAIT_MS,
  ) {}

  async open(isFresh: boolean): Promise<{ taken: number; of: number }> {
    const holder = (this.holder = await this.database.pool.connect());
    await holder.query(`set lock_timeout = ${this.lockWaitMs}`);
    await holder.query('select pg_advisory_lock($1, hashtext($2))', [LOCKS.rebuild, this.database.schema]);
    if (isFresh) await this.discard();
    await this.database.transaction(createTables);
    const { rows } = await holder.query<{ taken: string; of: string }>(
      `select (select count(*) from events where position <= p.position) as taken, (select count(*) from events) as of
       from rebuild_progress p`,
    );
    return { taken: Number(rows[0]?.taken), of: Number(rows[0]?.of) };
  }

  take(read: ReadFactsOf): Promise<number> {
    return this.database.transaction((tx) => takeBatch(tx, read));
  }

  async swap(read: ReadFactsOf): Promise<void> {
    for (const table of TABLES) await this.database.pool.query(`analyze ${REBUILT[table]}`);
    for (;;) {
      try {
        return await this.database.transaction(async (tx) => {
          while ((await takeBatch(tx, read)) > 0);
          await takeTheirPlace(tx);
        }, APPEND_LOCK);
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
        await sleep(SWAP_PAUSE_MS);
      }
    }
  }

  /** Compares both sides; the log waits only until there is a snapshot of both. */
  async compare(read: ReadFactsOf): Promise<readonly Difference[]> {
    const holder = this.holder!;
    const lock = heldAppendLock(this.database);
    await holder.query(lock.take);
    while ((await this.take(read)) > 0);
    await holder.query('begin isolation level repeatable read');
    await holder.query('set local statement_timeout = 0');
    await holder.query('select from rebuild_progress');
    await holder.query(lock.giveBack);
    const differences = await compareTables(holder);
    await holder.query('commit');
    return differences;
  }

  async discard(): Promise<void> {
    const tables = TABLES.map((table) => REBUILT[table]).join(', ');
    await this.database.pool.query(`drop table if exists ${tables}, rebuild_progress`);
  }

  /** Closes the connection, which releases the lock. */
  close(): Promise<void> {
    this.holder?.release(true);
    return Promise.resolve();
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Creates tables like the live ones, with every index. LIKE copies neither the storage options nor the grants. */
async function createTables(tx: Queryable): Promise<void> {
  const { rows } = await tx.query(`select from pg_class where oid = to_regclass('rebuild_progress')`);
  if (rows.length > 0) return;
  for (const table of TABLES) {
    await tx.query(`create table ${REBUILT[table]} (like ${LIVE[table]} including all)`);
    const { rows: options } = await tx.query<{ text: string | null }>(
      `select array_to_string(reloptions, ', ') as text from pg_class where oid = $1::regclass`,
      [LIVE[table]],
    );
    if (options[0]?.text) await tx.query(`alter table ${REBUILT[table]} set (${options[0].text})`);
    const { rows: grants } = await tx.query<{ text: string }>(
      `select format('grant %s on %I to %s', a.privilege_type, $2::text, a.grantee::regrole) as text
       from pg_class c, aclexplode(c.relacl) a where c.oid = $1::regclass and a.grantee not in (c.relowner, 0)`,
      [LIVE[table], REBUILT[table]],
    );
    for (const { text } of grants) await tx.query(text);
  }
  await tx.query('create table rebuild_progress (position bigint not null)');
  await tx.query('insert into rebuild_progress values (0)');
}

async function takeBatch(tx: Queryable, read: ReadFactsOf): Promise<number> {
  const { rows } = await tx.query<{ position: string; event_id: string; agent_id: string; payload: Buffer }>({
    name: 'rebuild-read',
    text: `select position, event_id, agent_id, payload from events
           where position > (select position from rebuild_progress) order by position limit $1`,
    values: [BATCH_COUNT],
  });
  const last = rows.at(-1);
  if (!last) return 0;
  const events = rows.map((row) => read({ eventId: row.event_id, agentId: row.agent_id, payload: row.payload }));
  await applyEvents(tx, events, REBUILT);
  await tx.query({
    name: 'rebuild-advance',
    text: 'update rebuild_progress set position = $1',
    values: [last.position],
  });
  return rows.length;
}

/** Readers see the old tables before the commit and the new ones after it: each statement finds them by name. */
async function takeTheirPlace(tx: Queryable): Promise<void> {
  const pairs = TABLES.map((table) => [LIVE[table], REBUILT[table]] as const);
  const live = pairs.map(([name]) => name).join(', ');
  await tx.query(`set local lock_timeout = ${SWAP_WAIT_MS}`);
  await tx.query(`lock table ${live} in access exclusive mode`);
  const indexes: IndexNames[] = [];
  for (const pair of pairs) indexes.push(...(await indexNames(tx, pair)));
  await tx.query(`drop table ${live}, rebuild_progress`);
  for (const [name, rebuilt] of pairs) await tx.query(`alter table ${rebuilt} rename to ${name}`);
  for (const { rebuilt, name } of indexes) await tx.query(`alter index ${rebuilt} rename to ${name}`);
}

/** An index of a rebuilt table, and its name in the live one. */
interface IndexNames {
  readonly rebuilt: string;
  readonly name: string;
}

async function indexNames(tx: Queryable, [live, rebuilt]: readonly [string, string]): Promise<IndexNames[]> {
  const { rows } = await tx.query<IndexNames>(
    `select n.indexrelid::regclass::text as rebuilt, quote_ident(c.relname) as name
     from pg_index o join pg_class c on c.oid = o.indexrelid
     join pg_index n on n.indkey::text = o.indkey::text and n.indoption::text = o.indoption::text
       and n.indisunique = o.indisunique and n.indisprimary = o.indisprimary
     where o.indrelid = $1::regclass and n.indrelid = $2::regclass`,
    [live, rebuilt],
  );
  return rows;
}
