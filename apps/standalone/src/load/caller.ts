import { setTimeout as pause } from 'node:timers/promises';
import type { ClientResponse } from '../client/responses.js';
import { isLastWord } from '../client/last-word.js';

const PAUSE_MS = 500;
const TIMEOUT_MS = 240_000;
const MOST_KEPT = 50;

/** One request to the API. @throws TypeError when there was no answer */
type Request<Data> = () => Promise<ClientResponse<Data>>;

/** Counts of requests and of their results. */
interface CallCounts {
  /** HTTP requests. */
  readonly requests: number;
  /** Requests without a response, or with a 5xx. */
  readonly lost: number;
  /** Requests made again with the same key, because nothing was known. */
  readonly retries: number;
  /** Answered with a 429. */
  readonly slowedDown: number;
}

/** A request that was lost. */
interface Loss {
  readonly what: string;
  readonly why: string;
}

/** Calls the API as a good client does, and counts. */
export class Caller {
  readonly #counts = { requests: 0, lost: 0, retries: 0, slowedDown: 0 };

  constructor(private readonly onLoss: (loss: Loss) => void) {}

  get counts(): CallCounts {
    return { ...this.#counts };
  }

  /**
   * Asks once more, with the same key, for as long as the outcome is unknown: no answer, a 5xx that names no
   * operation (it says nothing of what was asked before), a 429, or an operation that is still open.
   * @returns the answer that is the last word; undefined when there was none in four minutes
   */
  async untilFinal<Data>(what: string, request: Request<Data>): Promise<ClientResponse<Data> | undefined> {
    const untilMs = performance.now() + TIMEOUT_MS;
    for (;;) {
      const answer = await this.once(what, request);
      if (answer && isLastWord(answer)) return answer;
      if (performance.now() > untilMs) return undefined;
      if (![202, 409].includes(answer?.status ?? 0)) this.#counts.retries += 1;
      await pause(PAUSE_MS);
    }
  }

  /** Asks once. @returns undefined when there was no answer */
  async once<Data>(what: string, request: Request<Data>): Promise<ClientResponse<Data> | undefined> {
    this.#counts.requests += 1;
    try {
      const answer = await request();
      if (answer.status === 429) this.#counts.slowedDown += 1;
      if (answer.status >= 500)
        this.#lose(what, `${answer.status} ${JSON.stringify(answer.body?.data ?? answer.body)}`);
      return answer;
    } catch (error) {
      this.#lose(what, reasonOf(error));
      return undefined;
    }
  }

  #lose(what: string, why: string): void {
    this.#counts.lost += 1;
    if (this.#counts.lost <= MOST_KEPT) this.onLoss({ what, why });
  }
}

/** Returns the message of an error and of its causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const own = `${error.message}${code ? ` (${code})` : ''}`;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
