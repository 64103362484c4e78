import { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { type EventRecord, outboxWritten } from '@agent-wallet/events';
import { type Database, databaseError, type DatabaseTransaction, type Queryable } from '@agent-wallet/platform';
import { UnreadableJson } from '../handlers/json-codec.js';
import type { AttemptRecord, OperationRecord, RequestedApproval } from '../records/operation.js';
import { toRecordedError } from '../records/recorded-error.js';
import { DEFAULT_APPROVAL_INTERVAL } from './approval-interval.js';
import { Codecs, joinedAddresses, type OperationRow, type StoredHandler, toRecord } from './operation-rows.js';
import * as sql from './statements.js';

/** Another worker has taken the operation over: any later write of this one is refused. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`operation ${id} is in other hands`);
    this.name = 'LeaseLost';
  }
}

/** The right to write one operation. */
type Lease = Pick<OperationRecord, 'id' | 'fence'>;

/** Further writes in the transaction of a change. An error undoes the whole change. */
export type Write = (tx: DatabaseTransaction) => Promise<void>;

/**
 * Remaining work: `open` keeps the lease, `visit` lets the closing take it up at once, `closed` ends all work. `parked`
 * gives the lease back until its approval is decided.
 */
export type Next = 'open' | 'visit' | 'closed' | 'parked';

/** Options of the write of a change. */
interface Writing {
  readonly event: EventRecord | undefined;
  readonly next: Next;
  readonly write?: Write | undefined;
}

/** Operations that must not be taken up while they have no signed message. */
export interface Held {
  /** Whether none may. */
  readonly all: boolean;
  /** Agents whose operations may not. */
  readonly agentIds: readonly string[];
}

/** An operation that waits for an approval. */
export interface Awaiting extends Lease {
  readonly approval: RequestedApproval;
}

/** Is called with the id of an operation whose request or plan cannot be read. */
type Unreadable = (id: string, error: UnreadableJson) => void;

/**
 * Time that an unreadable operation is left alone, in milliseconds. In a rolling update, a version that can read it
 * starts soon.
 */
const PARKED_MS = 60_000;

/** Some operations by their ids, which are UUIDv7: by their time. */
export interface IdRange {
  readonly afterId: string;
  readonly beforeId: string;
  readonly limit: number;
}

/** Progress of an operation. */
type Progress = Pick<OperationRecord, 'id' | 'agentId' | 'action' | 'state' | 'revision'>;

/** Result of a visit after the outcome: whether the outcome is final, and whether policy is done with it. */
export interface Visit extends Lease {
  readonly attempt: AttemptRecord;
}

/**
 * The tables `operations`, `attempts` and `outbox` of one service. Every write is one statement under a fence, and one
 * round trip, unless its caller has more to write.
 */
export class OperationStore {
  readonly #owner = newId();
  readonly #codecs: Codecs;

  /** @param handlers the operations that it writes and reads */
  constructor(
    private readonly database: Database,
    handlers: readonly StoredHandler[],
    private readonly leaseMs: number,
    private readonly approvalInterval = DEFAULT_APPROVAL_INTERVAL,
  ) {
    this.#codecs = new Codecs(handlers);
  }

  /**
   * Makes the row, leased to us, unless there is one.
   * @throws AppError when it certainly was not made; any other error when that is unknown
   */
  async insert(record: OperationRecord): Promise<boolean> {
    const { id, agentId, action, requestId, createdAtMs } = record;
    const values = [
      id,
      agentId,
      action,
      this.#codecs.encodeRequest(record),
      requestId,
      createdAtMs,
      this.#owner,
      this.leaseMs,
    ];
    return this.#insert('operation-insert', sql.INSERT, values);
  }

  /** Inserts the row of an operation that ended before it began, and its event. Otherwise like `insert`. */
  async insertEnded(record: OperationRecord, event: EventRecord | undefined): Promise<boolean> {
    const { id, agentId, action, requestId, createdAtMs, state, revision, error } = record;
    const values = [id, agentId, action, this.#codecs.encodeRequest(record), requestId, createdAtMs, this.#owner];
    const published = [event?.eventId ?? null, event?.payload ?? null];
    const ending = [state, revision, error && JSON.stringify(toRecordedError(error)), ...published];
    const made = await this.#insert('operation-insert-ended', sql.INSERT_ENDED, [...values, ...ending]);
    if (made) outboxWritten(this.database.pool);
    return made;
  }

  async #insert(name: string, text: string, values: unknown[]): Promise<boolean> {
    const client = await this.database.pool.connect().catch((error: unknown) => {
      throw databaseError(error); // nothing was sent yet
    });
    let broken: Error | undefined;
    try {
      const { rowCount } = await client.query({ name, text, values });
      return rowCount === 1;
    } catch (error) {
      broken = error as Error;
      // The server refused the statement, so it was undone; a lost connection says nothing.
      if ((error as { severity?: unknown }).severity === 'ERROR') throw databaseError(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Reports whether two operations have the same action and request. */
  isSameRequest(one: OperationRecord, other: OperationRecord): boolean {
    return one.action === other.action && this.#codecs.encodeRequest(one) === this.#codecs.encodeRequest(other);
  }

  /** Returns the operation, or undefined when there is none. @throws UnreadableJson */
  async load(id: string): Promise<OperationRecord | undefined> {
    const [row] = await this.#rows(id);
    return row && toRecord(row, this.#codecs);
  }

  async #rows(id: string): Promise<OperationRow[]> {
    const { rows } = await this.database.pool.query<OperationRow>({
      name: 'operation-load',
      text: `select ${sql.COLUMNS} from operations o ${sql.JOIN_ATTEMPT} where o.id = $1`,
      values: [id],
    });
    return rows;
  }

  /** Returns the operation without its unreadable part, and the error that explains it. */
  async inspect(id: string): Promise<{ record: OperationRecord; unreadable: UnreadableJson | undefined } | undefined> {
    try {
      const record = await this.load(id);
      return record && { record, unreadable: undefined };
    } catch (error) {
      if (!(error instanceof UnreadableJson)) throw error;
      const [row] = await this.#rows(id);
      return row && { record: this.#readablePart(row), unreadable: error };
    }
  }

  /**
   * Operations without an outcome that were accepted at this time (Unix milliseconds) or before, the oldest first. They are
   * listed without a plan that cannot be read, and with the JSON of such a request.
   */
  async listOpen(acceptedUntilMs: number, limit: number): Promise<OperationRecord[]> {
    const { rows } = await this.database.pool.query<OperationRow>({
      name: 'operation-list-open',
      text: sql.LIST_OPEN,
      values: [acceptedUntilMs, limit],
    });
    return rows.map((row) => this.#readable(row) ?? this.#readablePart(row));
  }

  /** Operations with published events, in the order of their ids. */
  async listRevisions({ afterId, beforeId, limit }: IdRange): Promise<Progress[]> {
    const { rows } = await this.database.pool.query<Progress>({
      name: 'operation-list-revisions',
      text: sql.LIST_REVISIONS,
      values: [afterId, beforeId, limit],
    });
    return rows;
  }

  /** Stores the plan and the unsigned message, before anything is done with them. @throws LeaseLost */
  async addAttempt(record: OperationRecord, attempt: AttemptRecord, event: EventRecord | undefined): Promise<void> {
    const values = [
      record.id,
      record.fence,
      record.revision,
      this.#codecs.encodePlan(record),
      attempt.step,
      attempt.attempt,
      intentV1.Intent.encode(attempt.intent).finish(),
      attempt.message,
      attempt.messageHash,
      attempt.lastValidBlockHeight,
      attempt.networkFeeLamports,
      event?.eventId ?? null,
      event?.payload ?? null,
      this.leaseMs,
      joinedAddresses(attempt.resolvedAddresses),
      attempt.sinceSlot ?? null,
    ];
    await writeFenced(this.database.pool, record, { name: 'operation-attempt', text: sql.ADD_ATTEMPT, values });
    if (event) outboxWritten(this.database.pool);
  }

  /**
   * Writes a change of state, the latest attempt with it, its event, and what else becomes true.
   * @throws LeaseLost, and then `write` was not begun; what `write` throws. Nothing is written then.
   */
  async change(record: OperationRecord, { event, next, write }: Writing): Promise<void> {
    const { attempt } = record;
    const values = [
      record.id,
      record.fence,
      record.state,
      record.revision,
      this.#codecs.encodePlan(record),
      record.error ? JSON.stringify(toRecordedError(record.error)) : null,
      next,
      this.leaseMs,
      attempt?.step ?? null,
      attempt?.attempt ?? null,
      attempt?.state ?? null,
      attempt?.signature ?? null,
      attempt?.transaction ?? null,
      attempt?.slot ?? null,
      attempt?.chainError ?? null,
      attempt?.finalized ?? null,
      attempt?.settled ?? null,
      event?.eventId ?? null,
      event?.payload ?? null,
      attempt?.countersignature?.permitId ?? null,
      attempt?.countersignature?.ephemeralKey ?? null,
      attempt?.countersignature?.signature ?? null,
      record.approval ? JSON.stringify(record.approval) : null,
      this.approvalInterval.leastMs,
    ];
    const changing = async (on: Queryable) => {
      await writeFenced(on, record, { name: 'operation-change', text: sql.CHANGE, values });
      if (event) outboxWritten(on);
    };
    if (!write) return changing(this.database.pool);
    // The row first: it stays locked, so that no worker takes it over in the middle.
    await this.database.transaction(async (tx) => {
      await changing(tx);
      await write(tx);
    });
  }

  /**
   * Takes operations of these actions that are due and without a lease: to be driven, or to be visited after their outcome.
   * One whose request or plan cannot be read is parked for a minute: it must not stand in the way of the others.
   * @param held of which those that nothing was signed for are left alone
   * @param unreadable is called for each whose request or plan cannot be read
   */
  async claim(
    actions: readonly string[],
    limit: number,
    { held, unreadable }: { readonly held?: Held | undefined; readonly unreadable: Unreadable },
  ): Promise<OperationRecord[]> {
    const values = [this.#owner, this.leaseMs, limit, actions];
    const isAnyHeld = held !== undefined && (held.all || held.agentIds.length > 0);
    const { rows } = await this.database.pool.query<OperationRow>(
      isAnyHeld
        ? { name: 'operation-claim-but-held', text: sql.CLAIM_BUT_HELD, values: [...values, held.all, held.agentIds] }
        : { name: 'operation-claim', text: sql.CLAIM, values },
    );
    const parked: Lease[] = [];
    const claimed = rows.flatMap((row) => {
      const record = this.#readable(row, (id, error) => {
        parked.push({ id, fence: BigInt(row.fence) });
        unreadable(id, error);
      });
      return record ? [record] : [];
    });
    await this.#park(parked);
    return claimed;
  }

  /** Operations of these actions whose approval is to be asked about. They stay free for every replica. */
  async claimAwaiting(actions: readonly string[], limit: number, held: Held | undefined): Promise<Awaiting[]> {
    const { leastMs, mostMs } = this.approvalInterval;
    const { rows } = await this.database.pool.query<Pick<Awaiting, 'id' | 'approval'> & { fence: string }>({
      name: 'operation-claim-awaiting',
      text: sql.CLAIM_AWAITING,
      values: [limit, actions, held?.all ?? false, held?.agentIds ?? [], leastMs, mostMs],
    });
    return rows.map(({ fence, ...row }) => ({ ...row, fence: BigInt(fence) }));
  }

  /**
   * Leases an operation that waits. Undefined when another worker has it, or it waits no more, or it cannot be read: then
   * it is parked, as `claim` does.
   */
  async takeAwaiting({ id, fence }: Lease, unreadable: Unreadable): Promise<OperationRecord | undefined> {
    const { rows } = await this.database.pool.query<OperationRow>({
      name: 'operation-take-awaiting',
      text: sql.TAKE_AWAITING,
      values: [this.#owner, this.leaseMs, id, fence],
    });
    const [row] = rows;
    const record = row && this.#readable(row, unreadable);
    if (row && !record) await this.#park([{ id, fence: BigInt(row.fence) }]);
    return record;
  }

  async #park(parked: readonly Lease[]): Promise<void> {
    if (parked.length === 0) return;
    const values = [...columnsOf(parked), PARKED_MS];
    await this.database.pool.query({ name: 'operation-park', text: sql.PARK, values });
  }

  /** Returns the operation without its plan. An unreadable request is returned as its JSON. */
  #readablePart(row: OperationRow): OperationRecord {
    const unplanned = { ...row, plan: null };
    return this.#readable(unplanned) ?? toRecord(unplanned, NO_CODECS);
  }

  #readable(row: OperationRow, unreadable?: Unreadable): OperationRecord | undefined {
    try {
      return toRecord(row, this.#codecs);
    } catch (error) {
      if (!(error instanceof UnreadableJson)) throw error;
      unreadable?.(row.id, error);
      return undefined;
    }
  }

  /** Prolongs leases. @returns the ids of those that are lost */
  async renew(leases: readonly Lease[]): Promise<Set<string>> {
    const { rows } = await this.database.pool.query<{ id: string }>({
      name: 'operation-renew',
      text: sql.RENEW,
      values: [...columnsOf(leases), this.leaseMs],
    });
    const kept = new Set(rows.map(({ id }) => id));
    return new Set(leases.map(({ id }) => id).filter((id) => !kept.has(id)));
  }

  /** Hands leases over: anyone may take the operations at once, and what we still write is refused. */
  async release(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    await this.database.pool.query({ name: 'operation-release', text: sql.RELEASE, values: columnsOf(leases) });
  }

  /** Writes what visits found; an operation with nothing left to do is closed, the others are visited again later. */
  async noteVisits(visits: readonly Visit[]): Promise<void> {
    const attempts = visits.map(({ attempt }) => attempt);
    await this.database.pool.query({
      name: 'operation-visits',
      text: sql.NOTE_VISITS,
      values: [
        ...columnsOf(visits),
        attempts.map(({ step }) => step),
        attempts.map(({ attempt }) => attempt),
        attempts.map(({ finalized }) => finalized),
        attempts.map(({ settled }) => settled),
      ],
    });
  }
}

const NO_CODECS = new Codecs([]);

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Writes under a fence. @throws LeaseLost */
async function writeFenced(on: Queryable, { id }: Lease, query: Statement): Promise<void> {
  const { rows } = await on.query<{ changed: number }>(query);
  if (rows[0]?.changed !== 1) throw new LeaseLost(id);
}

function columnsOf(leases: readonly Lease[]): [string[], bigint[]] {
  return [leases.map(({ id }) => id), leases.map(({ fence }) => fence)];
}
