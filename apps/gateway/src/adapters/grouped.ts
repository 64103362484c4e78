import { AppError } from '@agent-wallet/kernel';
import { ATTRIBUTES, inSpan, isWithinSpan } from '@agent-wallet/telemetry';
import { AsyncResource } from 'node:async_hooks';

/** Terms of asking in groups. */
interface GroupOptions<Ask, Answer> {
  /** Name of the span in which a request waits for its answer. The statement itself belongs to no request. */
  readonly name: string;
  /** Asks all of them by one statement, which has happened whole or not at all; answers in their order. */
  readonly run: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  /** Whether what a statement failed with may be about one of its questions: then each is asked by itself. */
  readonly isOfOne: (error: unknown) => boolean;
  /** Questions in one statement at most. */
  readonly groupLimit: number;
  /** A statement that takes longer is not waited for by others: they get SERVICE_UNAVAILABLE. */
  readonly stalledAfterMs: number;
}

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Questions that come while a statement is under way wait for it, and go together by the next one: the busier it is,
 * the less each of them costs.
 */
export class Grouped<Ask, Answer> {
  #waiting: Waiting<Ask, Answer>[] = [];
  #isRunning = false;
  #isStalled = false;
  /** A statement of many requests is part of none: it runs outside of their contexts and spans. */
  readonly #outside = new AsyncResource('Grouped');

  constructor(private readonly options: GroupOptions<Ask, Answer>) {}

  /** Asks one question. @throws AppError SERVICE_UNAVAILABLE when those before it take too long, or what `run` throws */
  ask(ask: Ask): Promise<Answer> {
    if (!isWithinSpan()) return this.#ask(ask);
    const { name } = this.options;
    const attributes = { [ATTRIBUTES.dbSystem.name]: 'postgresql', [ATTRIBUTES.statement.name]: name };
    return inSpan({ name: `sql ${name}`, kind: 'client', attributes }, () => this.#ask(ask));
  }

  #ask(ask: Ask): Promise<Answer> {
    if (this.#isStalled) return Promise.reject(stalled());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      this.#outside.runInAsyncScope(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const ended = this.#watch();
      await this.#runGroup(this.#waiting.splice(0, this.options.groupLimit));
      ended();
      this.#isStalled = false;
    }
    this.#isRunning = false;
  }

  async #runGroup(group: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await this.options.run(group.map(({ ask }) => ask));
      group.forEach(({ resolve }, i) => resolve(answers[i] as Answer));
    } catch (error) {
      if (group.length > 1 && this.options.isOfOne(error)) await Promise.all(group.map((one) => this.#runGroup([one])));
      else group.forEach(({ reject }) => reject(error));
    }
  }

  /** Looks after a statement until it has ended. */
  #watch(): () => void {
    let hasEnded = false;
    // On a machine that gave us no time the answer may be here, unread: it is read before this is judged.
    const judge = () => setImmediate(() => hasEnded || this.#stall());
    const timer = setTimeout(judge, this.options.stalledAfterMs);
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }

  #stall(): void {
    this.#isStalled = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stalled());
  }
}

function stalled(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { cause: new Error('a statement for many requests takes too long') });
}
