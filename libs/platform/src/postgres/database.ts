import { AppError } from '@agent-wallet/kernel';
import pg from 'pg';
import type { Logger } from '../log/logger.js';
import { noteTransaction } from './after-commit.js';
import type { PostgresConnection } from '../settings/postgres-connection.js';
import { listen, type Listening } from './listen.js';
import { passwordReader } from './password-reader.js';
import { traceStatements } from './trace-statements.js';

/** Anything that runs SQL: the pool, or one transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** One transaction that is open. */
export type DatabaseTransaction = pg.PoolClient;

/** A service's schema in Postgres: one pool, shared by raw SQL and by Prisma. */
export interface Database {
  readonly pool: pg.Pool;
  readonly schema: string;
  /**
   * Runs work in one READ COMMITTED transaction; an error rolls everything back and is thrown on.
   * @param opening SQL without parameters that goes with its beginning in one round trip, such as a lock
   */
  transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>, opening?: string): Promise<T>;
  /** Hears a channel of NOTIFY over a connection beside the pool: see `listen`. */
  listen(channel: string, onMessage: () => void): Listening;
  close(): Promise<void>;
}

/** A connection that its holder has for itself until it releases it. */
export type DatabaseSession = pg.PoolClient;

/** Options for opening a service's database. */
export interface DatabaseOptions {
  readonly connection: PostgresConnection;
  /** The service's schema; unqualified names mean this one. */
  readonly schema: string;
  readonly logger: Logger;
  /** Connections at most; 10 when omitted. */
  readonly maxConnections?: number;
  /**
   * Time limit of a response; 20 s when omitted, longer than Postgres lets a statement run. 0 for no limit: for
   * migrations.
   */
  readonly responseTimeoutMs?: number;
}

/**
 * Idle time before a connection of a burst is closed, as each is a process of some MiB. One stays for the next query.
 */
const IDLE_MS = 5_000;
const KEPT_CONNECTIONS = 1;
/** Postgres' own bound ends nothing once its machine is gone: without a word from it a query would be waited for for ever. */
const RESPONSE_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 10_000;
/** Postgres ends the session of a machine that is gone after half a minute, and frees its locks. By itself it takes two hours. */
const LOST_CLIENTS = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

/** Opens the pool; connects on the first query. Times in sessions are UTC. */
export function openDatabase(options: DatabaseOptions): Database {
  const { connection, schema, logger } = options;
  const config: pg.ClientConfig = {
    host: connection.host,
    port: connection.port,
    user: connection.user,
    // A function, so that no dump of the pool's options shows it.
    password: passwordReader(connection, logger),
    database: connection.database,
    ssl: connection.tls ? { rejectUnauthorized: true } : false,
    options: `-c search_path=${schema} -c timezone=UTC -c idle_in_transaction_session_timeout=30s -c statement_timeout=15s ${LOST_CLIENTS}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: schema,
  };
  const max = options.maxConnections ?? 10;
  const pool = new pg.Pool({ ...config, max, min: KEPT_CONNECTIONS, idleTimeoutMillis: IDLE_MS });
  const lost = (err: Error) =>
    logger.warn({ event: 'database_connection.lost', schema, err }, 'Database connection lost');
  pool.on('error', lost);
  // A connection that is lost while it is in use fails its query; without a listener it would end the process, too.
  pool.on('connect', (client) => client.on('error', lost));
  traceStatements(pool, schema);
  return {
    pool,
    schema,
    transaction: (work, opening) => inTransaction(pool, work, opening),
    listen: (channel, onMessage) => listen({ config, channel, onMessage, logger }),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: DatabaseTransaction) => Promise<T>,
  opening: string | undefined,
): Promise<T> {
  const client = await pool.connect();
  const transaction = noteTransaction(pool, client);
  let broken: Error | undefined;
  try {
    await client.query(opening === undefined ? 'begin' : `begin; ${opening}`);
    const result = await work(client);
    await client.query('commit');
    transaction.committed();
    return result;
  } catch (error) {
    // A connection that is silent would not answer to that either; closed, it is rolled back.
    if (isSilence(error)) broken = error;
    else await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError));
    throw error;
  } finally {
    transaction.ended();
    client.release(broken);
  }
}

/** Reports whether a query timed out on the client; pg gives that error no code. */
function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Messages of pg, without a code, when a connection is lost or unavailable. */
const AWAY_TEXT = /timeout|terminated|ended|connection error/i;
/** Codes of the operating system, of Postgres (connection exceptions, shut-downs, no resources), and of Prisma. */
const AWAY_CODE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|08\w{3}|57P\w{2}|53\w{3}|P1\d{3}|P2024)$/;

/** Reports whether an error, of pg or of Prisma over it, means that the database is unreachable or is shutting down. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const codes = codesOf(error);
  if (codes.length === 0) return AWAY_TEXT.test(String((error as Error | undefined)?.message));
  return codes.some((code) => AWAY_CODE.test(code));
}

/** Returns the codes of an error and its inner errors: Prisma keeps Postgres' own in its driver adapter's error. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, originalCode, cause, meta } = error as Record<string, unknown>;
  const inner = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  const own = [code, originalCode].filter((each) => typeof each === 'string');
  return [...own, ...codesOf(cause), ...codesOf(inner)];
}

/** Converts a failed query to the caller's error: SERVICE_UNAVAILABLE when the database is unavailable. */
export function databaseError(error: unknown): AppError {
  return isDatabaseUnavailable(error)
    ? new AppError('SERVICE_UNAVAILABLE', { data: { reason: 'database' }, cause: error })
    : new AppError('INTERNAL_ERROR', { cause: error });
}
