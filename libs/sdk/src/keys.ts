/** A request for an operation whose end was not seen. */
export interface PendingRequest {
  /** The idempotency key: the request's name at the service. */
  readonly key: string;
  /** The agent, and its scoped token where that asks: a store may serve several. */
  readonly holder: string;
  readonly path: string;
  /** The body to the byte. */
  readonly body: string;
  /** The time at which it was first kept, before it was sent: Unix milliseconds. */
  readonly sentAtMs: number;
  /** The operation in history, once the service has named it. */
  readonly transactionId?: string;
}

/**
 * Keeps requests from before their first byte until their end is known. With a store that survives the process, a second
 * run continues what a first one began: the same request gets the same key.
 */
export interface KeyStore {
  list(): Promise<readonly PendingRequest[]>;
  /** Resolves once the request would survive a crash. */
  save(request: PendingRequest): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Keeps requests in memory: for programs that do not resume. */
export class MemoryStore implements KeyStore {
  readonly #requests = new Map<string, PendingRequest>();

  async list(): Promise<readonly PendingRequest[]> {
    return [...this.#requests.values()];
  }

  async save(request: PendingRequest): Promise<void> {
    this.#requests.set(request.key, request);
  }

  async remove(key: string): Promise<void> {
    this.#requests.delete(key);
  }
}

/** The part of `localStorage` that a store needs. */
export interface WebStorage {
  readonly length: number;
  key(n: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Keeps requests in a browser, one entry each: `new WebStore(localStorage)`. */
export class WebStore implements KeyStore {
  constructor(
    private readonly storage: WebStorage,
    private readonly prefix = 'agent-wallet:',
  ) {}

  async list(): Promise<readonly PendingRequest[]> {
    const names = Array.from({ length: this.storage.length }, (_, n) => this.storage.key(n) ?? '');
    return names
      .filter((name) => name.startsWith(this.prefix))
      .map((name) => readPending(this.storage.getItem(name) ?? ''))
      .filter((request) => request !== undefined);
  }

  async save(request: PendingRequest): Promise<void> {
    this.storage.setItem(this.prefix + request.key, JSON.stringify(request));
  }

  async remove(key: string): Promise<void> {
    this.storage.removeItem(this.prefix + key);
  }
}

/** Reads a stored request; undefined for what is none, such as a file that was half written. */
export function readPending(text: string): PendingRequest | undefined {
  try {
    const { key, holder, path, body, sentAtMs, transactionId } = JSON.parse(text) as Record<string, unknown>;
    const isWhole = [key, holder, path, body].every((field) => typeof field === 'string');
    if (!isWhole || typeof sentAtMs !== 'number') return undefined;
    const named = typeof transactionId === 'string' ? { transactionId } : {};
    return { key, holder, path, body, sentAtMs, ...named } as PendingRequest;
  } catch {
    return undefined;
  }
}
