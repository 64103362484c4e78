/** A final answer as it is kept and replayed. */
export interface FinalAnswer {
  /** HTTP status. */
  readonly statusCode: number;
  readonly message: string;
  /** JSON text of the answer's `data`. */
  readonly dataJson: string;
}

/** A financial request that wants to run. */
export interface NewRequest {
  readonly operationId: string;
  readonly agentId: string;
  /** The caller's idempotency key, if it sent one. */
  readonly key?: string | undefined;
  readonly hash: Buffer;
  readonly action: string;
  /** JSON text of the validated input: what the operation can be asked for again. */
  readonly inputJson: string;
}

/** A request as it is kept. */
export interface KeptRequest {
  readonly operationId: string;
  readonly agentId: string;
  readonly action: string;
  readonly inputJson: string;
  /** `claimed`: somebody runs it, or died running it. `submitted`: handed over, outcome open. */
  readonly state: 'claimed' | 'submitted' | 'final';
  readonly hash: Uint8Array;
  /** Base58; empty while none is known. */
  readonly signature: string;
  readonly answer?: FinalAnswer | undefined;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** How often the resolver has looked at it. */
  readonly looks: number;
}

/** A request that has its final answer. */
export interface AnsweredRequest {
  readonly hash: Uint8Array;
  readonly answer: FinalAnswer;
}

/** A claimed request is ours to run as long as the fence is ours. */
export interface Claim {
  readonly operationId: string;
  readonly fence: number;
}

/** Financial requests, their keys and their answers. */
export interface RequestStore {
  /**
   * The request that holds a key, if it has its final answer and that is cheap to know. A final answer does not change
   * while it is kept; undefined says nothing, then claim.
   */
  answered(agentId: string, key: string): Promise<AnsweredRequest | undefined>;
  /**
   * Claims a key (or, without one, just makes the row), which fixes the operation id: a key whose run died keeps the
   * operation it had. Otherwise answers the request that holds the key.
   */
  claim(request: NewRequest): Promise<Claim | KeptRequest>;
  /** Frees a claim under which nothing was sent: the operation can never run. False when the claim was lost. */
  release(claim: Claim): Promise<boolean>;
  /** Notes that the operation was handed over and its outcome is open. */
  submitted(operationId: string, signature: string): Promise<void>;
  /** Keeps the final answer; the first one stays. */
  finish(operationId: string, answer: FinalAnswer): Promise<void>;
  find(agentId: string, operationId: string): Promise<KeptRequest | undefined>;
  /** Requests left open that are due for a look; no other replica gets them for `leaseMs`. */
  takeLeftOpen(count: number, leaseMs: number): Promise<readonly KeptRequest[]>;
  /** When to look at an open request again. */
  lookAgain(operationId: string, inMs: number): Promise<void>;
}
