import { AppError, type Clock } from '@agent-wallet/kernel';

/** Terms on which a response is cached. */
interface Remembering<T> {
  /** For how long it is as good as new. */
  readonly freshMs: number;
  readonly ask: () => Promise<T>;
  /** Counts the records of a response, for the limit on all; 1 when omitted. */
  readonly sizeOf?: (answer: T) => number;
}

/** Bounds of a memory. */
interface MemoryBounds {
  /** Records in all answers together. */
  readonly maxRecords: number;
  /** Greatest age of a response that is returned when no newer one is available. */
  readonly maxStaleMs: number;
}

interface Remembered {
  readonly answer: unknown;
  readonly size: number;
  readonly askedAtMs: number;
  /** From when on it is asked for again. */
  askAgainAtMs: number;
}

/** The error of an upstream that is unavailable; everything else is its answer. */
const NO_RESPONSE: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'SERVICE_UNAVAILABLE']);

/**
 * Answers by key, each asked for by one caller while the others wait. What is no longer fresh is asked for again; when
 * that fails, the last answer serves for a while. The least recently used make room.
 */
export class RecentCache {
  readonly #kept = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  #records = 0;

  constructor(
    private readonly clock: Clock,
    private readonly bounds: MemoryBounds,
  ) {}

  /**
   * Returns the response for a key, which identifies its request for good.
   * @throws the request's error when no stored answer serves
   */
  async get<T>(key: string, remembering: Remembering<T>): Promise<T> {
    const kept = this.#kept.get(key);
    const nowMs = this.clock.nowMs();
    if (kept && nowMs < kept.askAgainAtMs && nowMs >= kept.askedAtMs) {
      this.#touch(key, kept);
      return kept.answer as T;
    }
    const underWay = this.#underWay.get(key) ?? this.#ask(key, remembering);
    return (await underWay) as T;
  }

  #ask<T>(key: string, remembering: Remembering<T>): Promise<T> {
    const asking = this.#askOnce(key, remembering).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asking);
    return asking;
  }

  async #askOnce<T>(key: string, { freshMs, ask, sizeOf }: Remembering<T>): Promise<T> {
    const askedAtMs = this.clock.nowMs();
    try {
      const answer = await ask();
      const size = sizeOf ? Math.max(sizeOf(answer), 1) : 1;
      this.#keep(key, { answer, size, askedAtMs, askAgainAtMs: askedAtMs + freshMs });
      return answer;
    } catch (error) {
      const kept = this.#kept.get(key);
      if (!kept || !this.#mayServe(kept, error)) throw error;
      // An upstream in trouble is not asked at once again.
      kept.askAgainAtMs = this.clock.nowMs() + freshMs;
      return kept.answer as T;
    }
  }

  #mayServe({ askedAtMs }: Remembered, error: unknown): boolean {
    const ageMs = this.clock.nowMs() - askedAtMs;
    return error instanceof AppError && NO_RESPONSE.has(error.code) && ageMs >= 0 && ageMs <= this.bounds.maxStaleMs;
  }

  #touch(key: string, kept: Remembered): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }

  #keep(key: string, kept: Remembered): void {
    this.#records += kept.size - (this.#kept.get(key)?.size ?? 0);
    this.#touch(key, kept);
    for (const [oldest, { size }] of this.#kept) {
      if (this.#records <= this.bounds.maxRecords) return;
      this.#kept.delete(oldest);
      this.#records -= size;
    }
  }
}
