import type { Database, DatabaseSession } from '@agent-wallet/platform';

/** Any number that no other lock has. */
const READING_LOCK = 7_214_017;
/** The pause between two tries to get the turn. */
const RETRY_MS = 1_000;

/**
 * The turn to read the event log: one replica of a consumer has it, so that the log is read once and not by each. It is a
 * lock of a session, free again when its holder gives it back or is gone. Two that read at once do no harm: positions
 * only go forward, and handlers take an event twice.
 */
export class ReadingTurn {
  #session: DatabaseSession | undefined;
  #nextTryMs = 0;

  constructor(private readonly database: Pick<Database, 'pool' | 'schema'>) {}

  /** Whether this process has the turn. */
  get isOurs(): boolean {
    return this.#session !== undefined;
  }

  /** Takes the turn unless another replica has it. @returns whether it is ours */
  async take(): Promise<boolean> {
    if (this.#session) return true;
    if (performance.now() < this.#nextTryMs) return false;
    this.#nextTryMs = performance.now() + RETRY_MS;
    const session = await this.database.pool.connect();
    const lose = (error?: Error): void => {
      session.off('error', lose);
      if (this.#session === session) this.#session = undefined;
      // A session that may hold the lock is not used for anything else.
      session.release(error ?? true);
    };
    session.on('error', lose);
    try {
      const { rows } = await session.query<{ ours: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as ours', [
        READING_LOCK,
        this.database.schema,
      ]);
      if (rows[0]?.ours) this.#session = session;
    } finally {
      if (!this.isOurs) lose();
    }
    return this.isOurs;
  }

  /** Ends the session, and with it the turn. Another replica may have it next. */
  giveBack(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#nextTryMs = performance.now() + RETRY_MS;
    session?.removeAllListeners('error');
    session?.release(true);
  }
}
