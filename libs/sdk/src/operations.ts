import type { components } from './generated/api.js';
import { ApiError, ExpiredKeyError, NoAnswerError, OutcomeUnknownError, StillOpenError } from './errors.js';
import type { KeyStore, PendingRequest } from './keys.js';
import { type Answer, pause, type Transport } from './transport.js';

/** An answer that an operation is not over. */
export type Accepted = StillOpenError['accepted'];

/** Options of an operation. */
export interface OperationOptions {
  /** Your own idempotency key, 1–128 printable ASCII characters; made here when omitted. */
  readonly key?: string;
  /** Longest wait for the end, in milliseconds: 5 minutes when omitted, approvals of the owner included. */
  readonly waitMs?: number;
  /** Called with each answer that the operation is not over: once it was submitted, and while the owner decides. */
  readonly onAccepted?: (accepted: Accepted) => void;
  /** Called when the request goes on with the key of an equal one that was left open. */
  readonly onResume?: (request: PendingRequest) => void;
  readonly signal?: AbortSignal;
}

const KEY = /^[ -~]{1,128}$/;
const FIRST_POLL_MS = 500;
const LONGEST_POLL_MS = 5_000;
/** People take longer than chains. */
const LONGEST_APPROVAL_POLL_MS = 15_000;
/** Age after which a request is not sent again unseen: 24 hours after its end its key counts as new, and would pay again. */
const LONGEST_REPEAT_MS = 23 * 3_600_000;
/** States in history of an operation that goes on, whose key does not expire. */
const OPEN_STATES: ReadonlySet<string> = new Set(['pending', 'awaiting_approval', 'submitted']);

/** Surroundings of operations. */
interface Surroundings {
  readonly store: KeyStore;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly holder: () => string;
}

/** Runs operations: each has one key from before its first byte to its end, and is asked for until it ends. */
export class Operations {
  /** Keys in use by this process. */
  readonly #running = new Set<string>();

  constructor(
    private readonly transport: Transport,
    private readonly surroundings: Surroundings,
  ) {}

  /**
   * Runs an operation to its end. A request that an earlier process of this agent left open, equal to the byte, goes on
   * with its key.
   * @throws ApiError when it has failed or began nothing, StillOpenError after `waitMs`, OutcomeUnknownError when the
   *   service could not be asked, ExpiredKeyError for a request left open whose key may count as new
   */
  async run<Result>(path: string, body: string, options: OperationOptions = {}): Promise<Result> {
    const request = await this.#requestOf(path, body, options);
    return this.#finish<Result>(request, options);
  }

  /** Returns the requests of this agent whose end was not seen. */
  async pending(): Promise<readonly PendingRequest[]> {
    const holder = this.surroundings.holder();
    return (await this.surroundings.store.list()).filter((request) => request.holder === holder);
  }

  /** Goes on with a request of `pending` to its end. @throws as `run` */
  async resume<Result>(request: PendingRequest, options: Omit<OperationOptions, 'key'> = {}): Promise<Result> {
    this.#running.add(request.key);
    return this.#finish<Result>(request, options);
  }

  /** Forgets a request. */
  async forget({ key }: PendingRequest): Promise<void> {
    await this.surroundings.store.remove(key);
    this.#running.delete(key);
  }

  async #requestOf(
    path: string,
    body: string,
    { key: given, onResume }: Pick<OperationOptions, 'key' | 'onResume'>,
  ): Promise<PendingRequest> {
    if (given !== undefined && !KEY.test(given)) {
      throw new TypeError('A key has 1 to 128 printable ASCII characters.');
    }
    const open = await this.pending();
    const isSame = (request: PendingRequest) => request.path === path && request.body === body;
    const named = open.find(({ key }) => key === given);
    if (named && !isSame(named)) throw new TypeError('This key belongs to another request, which is not over.');
    const left = given === undefined ? await this.#claimed(open.filter(isSame)) : undefined;
    const { holder, nowMs } = this.surroundings;
    const made = { key: given ?? newKey(), holder: holder(), path, body, sentAtMs: nowMs() };
    const request = left ?? named ?? made;
    this.#running.add(request.key);
    if (left) onResume?.(left);
    else if (!named) await this.surroundings.store.save(request);
    return request;
  }

  /** Claims a request that was left open. One that has ended since it was listed is none. */
  async #claimed(open: readonly PendingRequest[]): Promise<PendingRequest | undefined> {
    const left = open.find(({ key }) => !this.#running.has(key));
    if (!left) return undefined;
    this.#running.add(left.key);
    if ((await this.surroundings.store.list()).some(({ key }) => key === left.key)) return left;
    this.#running.delete(left.key);
    return undefined;
  }

  async #finish<Result>(request: PendingRequest, options: OperationOptions): Promise<Result> {
    try {
      const result = await this.#poll(request, options);
      this.#forgetSoon(request.key);
      return result as Result;
    } catch (error) {
      if (error instanceof ExpiredKeyError && error.transaction) {
        this.#forgetSoon(request.key);
        throw error;
      }
      // A store that fails does not hide the failure of the operation.
      if (error instanceof ApiError && isOver(error))
        await this.surroundings.store.remove(request.key).catch(() => undefined);
      this.#running.delete(request.key);
      throw error;
    }
  }

  /**
   * Forgets a request after its caller had the result: of a process that dies before it could say so, the next one gets
   * the same result, not a second payment.
   */
  #forgetSoon(key: string): void {
    setTimeout(() => {
      this.surroundings.store.remove(key).then(
        () => this.#running.delete(key),
        // It stays, as after a crash: an equal request of a later process gets this result.
        () => undefined,
      );
    }, 0);
  }

  /** Repeats the request with its key until the answer is its end. */
  async #poll(request: PendingRequest, options: OperationOptions): Promise<unknown> {
    const { waitMs = 300_000, onAccepted, signal } = options;
    const { nowMs } = this.surroundings;
    const endsAtMs = performance.now() + waitMs;
    let openAtMs = request.sentAtMs;
    // A clock that was set back says nothing of the age.
    const isRecent = () => Math.abs(nowMs() - openAtMs) <= LONGEST_REPEAT_MS;
    for (let pollMs = FIRST_POLL_MS; ; pollMs *= 2) {
      if (!isRecent()) {
        const readAtMs = nowMs();
        await this.#requireOpen(request, signal);
        openAtMs = readAtMs;
      }
      const answer = await this.#ask(request, isRecent, signal);
      if (answer.status === 200) return answer.data;
      openAtMs = nowMs();
      const accepted = answer.data as Accepted;
      await this.#keepName(request, accepted.transactionId);
      onAccepted?.(accepted);
      const isForOwner = accepted.transactionStatus === 'awaiting_approval';
      pollMs = Math.min(pollMs, isForOwner ? LONGEST_APPROVAL_POLL_MS : LONGEST_POLL_MS);
      if (performance.now() + pollMs > endsAtMs) {
        throw new StillOpenError({ key: request.key, transactionId: accepted.transactionId }, accepted);
      }
      await pause(pollMs, signal);
    }
  }

  /**
   * Keeps the name of the operation in history with its request: later than a day, only the name finds it. A disk that is
   * full by now does not end an operation that has begun.
   */
  async #keepName(request: PendingRequest, transactionId: string | undefined): Promise<void> {
    const { store } = this.surroundings;
    const isKept = ({ key, transactionId: known }: PendingRequest) => key === request.key && known === undefined;
    if (transactionId === undefined || request.transactionId !== undefined) return;
    try {
      if ((await store.list()).some(isKept)) await store.save({ ...request, transactionId });
    } catch {
      // The request stays as it was saved before it was sent.
    }
  }

  /** @throws ExpiredKeyError unless history says that the operation goes on, OutcomeUnknownError */
  async #requireOpen(request: PendingRequest, signal: AbortSignal | undefined): Promise<void> {
    const { key, transactionId, sentAtMs } = request;
    const found = transactionId === undefined ? undefined : await this.#find({ key, transactionId }, signal);
    if (found && OPEN_STATES.has(found.status)) return;
    throw new ExpiredKeyError({ key, transactionId }, sentAtMs, found);
  }

  /** Reads an operation in history; undefined where this token finds none. */
  async #find(
    { key, transactionId }: { readonly key: string; readonly transactionId: string },
    signal: AbortSignal | undefined,
  ): Promise<components['schemas']['Transaction'] | undefined> {
    const path = `/wallets/me/history/${encodeURIComponent(transactionId)}`;
    try {
      const { data } = await this.transport.request({ method: 'GET', path, repeatable: true, signal });
      return (data as { readonly transaction: components['schemas']['Transaction'] }).transaction;
    } catch (error) {
      if (error instanceof ApiError && isOver(error)) return undefined;
      if (!(error instanceof NoAnswerError || error instanceof ApiError) || isLoggedOut(error)) throw error;
      throw new OutcomeUnknownError({ key, transactionId }, { cause: error });
    }
  }

  async #ask(
    { key, path, body }: PendingRequest,
    repeatable: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    // The first response of a repeated request, not the one around it.
    const headers = { 'idempotency-key': key, prefer: 'return=original' };
    try {
      const answer = await this.transport.request({ method: 'POST', path, body, headers, repeatable, signal });
      if (!isOfOperation(answer)) throw new NoAnswerError(`HTTP ${answer.status} has no state of an operation`);
      return answer;
    } catch (error) {
      const isOpen = error instanceof NoAnswerError || (error instanceof ApiError && !isOver(error));
      if (!isOpen || isLoggedOut(error)) throw error;
      throw new OutcomeUnknownError({ key }, { cause: error });
    }
  }
}

function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Reports whether a failure says that its request moved nothing and never will: only then its key is forgotten. */
function isOver({ retry, transactionId }: ApiError): boolean {
  // A word of tomorrow is not known to say so.
  return retry === 'new_key' || retry === 'never' || transactionId !== undefined;
}

/** Reports whether a success says how an operation stands: its result, or where it waits. */
function isOfOperation({ status, data }: Answer): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return status === 200 || typeof (data as Partial<Accepted>).transactionStatus === 'string';
}

/** The data of a 202. */
export type AcceptedData = components['schemas']['Accepted'];

/** Returns a new idempotency key. */
export function newKey(): string {
  return crypto.randomUUID();
}
