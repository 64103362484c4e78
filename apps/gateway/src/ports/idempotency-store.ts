/** A response to a caller, in the form in which it is sent, stored and replayed. */
export interface ApiResponse {
  /** HTTP status. */
  readonly statusCode: number;
  readonly message: string;
  /** JSON text of the response's `data`. */
  readonly dataJson: string;
  /** Whether it was made now or stored before; for a request with an idempotency key. */
  readonly idempotency?: 'fresh' | 'cached' | undefined;
}

/** The checked fields of a request. Amounts are canonical decimal text from here to the service that owns the operation. */
export type OperationInput = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the canonical text of an input: the order of its fields does not matter. The same text is hashed and stored.
 */
export function inputText(input: OperationInput): string {
  return JSON.stringify(input, Object.keys(input).sort());
}

/** Time for which the final response of a key is replayed; then the key counts as new (specification, section 8). */
export const KEY_RETENTION_MS = 24 * 3_600_000;

/** A financial request as it is stored: its key, the hash of what was asked, its operation and its final response. */
export interface IdempotencyRecord {
  readonly operationId: string;
  readonly agentId: string;
  /** As history names it. */
  readonly action: string;
  /** Input with which the operation can be requested again. */
  readonly input: OperationInput;
  /** Hash of the route and the input. */
  readonly hash: Uint8Array;
  /** `claimed`: a process runs it, or died running it. `submitted`: handed over, outcome open. */
  readonly state: 'claimed' | 'submitted' | 'final';
  /** Fencing token of the claim: 1 for the first one. */
  readonly fence: number;
  /** Base58; empty while none is known. */
  readonly signature: string;
  readonly response?: ApiResponse | undefined;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Number of times that the resolver has polled it. */
  readonly polls: number;
}

/** A financial request that wants to run. */
export type NewRecord = Pick<IdempotencyRecord, 'operationId' | 'agentId' | 'action' | 'input' | 'hash'> & {
  /** The caller's idempotency key, if it sent one. */
  readonly key?: string | undefined;
};

/** Idempotency records: financial requests, their keys and their final responses. */
export interface IdempotencyStore {
  /**
   * Returns hash and response of the record that holds a key, if it has its final response and that is cheap to know. A
   * final response does not change while it is stored. Undefined says nothing: the caller must claim.
   */
  stored(agentId: string, key: string): Promise<{ hash: Uint8Array; response: ApiResponse } | undefined>;
  /**
   * Claims a key (or, without one, just makes the record), which fixes the operation id: a key whose runner died keeps
   * the operation it had, and a key whose final response was kept for its time gets the new one. `isOurs` is false for a record that another request made and that is not free.
   */
  claim(request: NewRecord): Promise<{ record: IdempotencyRecord; isOurs: boolean }>;
  /** Frees a claim under which nothing was sent: the operation can never run. False when the claim was lost. */
  release(claim: Pick<IdempotencyRecord, 'operationId' | 'fence'>): Promise<boolean>;
  /** Notes that the operation was handed over and its outcome is open. */
  submitted(operationId: string, signature: string): Promise<void>;
  /** Stores the final response; the first one stays. */
  finish(operationId: string, response: ApiResponse): Promise<void>;
  find(agentId: string, operationId: string): Promise<IdempotencyRecord | undefined>;
  /** Records left open that are due and can be read; no other replica gets them for `leaseMs`. */
  takeLeftOpen(count: number, leaseMs: number): Promise<readonly IdempotencyRecord[]>;
  /** Sets the time of the next poll of an open operation. */
  pollAgain(operationId: string, inMs: number): Promise<void>;
}
