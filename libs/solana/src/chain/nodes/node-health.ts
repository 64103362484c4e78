import { AppError, type Clock, systemClock } from '@agent-wallet/kernel';
import { ATTRIBUTES, type Attributes, count, isMetering, METRICS, type Reading, watch } from '@agent-wallet/telemetry';
import { HttpStatusError } from '../http-post.js';
import type { Judge, Observer } from './agreement.js';

/** Age of an observation that still counts: a service without work asks nothing. */
const MAX_AGE_MS = 60_000;
/** Nodes see the same change so many slots apart at most, unless one lies. */
const TOLERANCE = 32;

type State = 'answering' | 'paused' | 'failing';

interface Node {
  readonly attributes: Attributes;
  state: State;
  /** Slots behind the highest of those that decided; undefined before the first answer of a slot. */
  lag: number | undefined;
  seenAtMs: number;
}

/**
 * Metrics of nodes that answer together: which one lags, is away, or is outvoted. A node is named by its place and host,
 * never by its URL, which may hold a key. Several doors to the same nodes share one.
 */
export class NodeHealth {
  readonly #nodes: readonly Node[];
  readonly #watched: { stop(): void };

  /** @param rpcUrls as for `openNodes`, in the same order */
  constructor(
    private readonly service: string,
    rpcUrls: readonly string[],
    private readonly clock: Clock = systemClock,
  ) {
    this.#nodes = rpcUrls.map((url, index) => ({
      attributes: { [ATTRIBUTES.node.name]: String(index + 1), [ATTRIBUTES.host.name]: URL.parse(url)?.hostname },
      state: 'answering',
      lag: undefined,
      seenAtMs: -Infinity,
    }));
    this.#watched = watch({ service, look: async () => this.#readings() });
  }

  /** Returns an observer of one question; undefined without metrics. @param slotOf the slot at which a node looked */
  observer<Answer>(judge: Judge<Answer>, slotOf?: (answer: Answer) => number): Observer<Answer> | undefined {
    if (!isMetering()) return undefined;
    return {
      failed: (index, error) => this.#saw(index, isPause(error) ? 'paused' : 'failing'),
      answered: (index, answer, { decisive, all }) => {
        if (!slotOf) return this.#saw(index, 'answering');
        const slot = slotOf(answer);
        const slots = (decisive ?? all).map(slotOf);
        this.#saw(index, 'answering', Math.max(0, Math.max(...slots) - slot));
        if (decisive && canCompare(slot, slots) && !judge.agrees(answer, decisive)) this.#outvoted(index);
      },
    };
  }

  /** Counts a question to which no quorum gave the same answer. */
  disagreed(): void {
    count(METRICS.chainNodesDisagreements, { service: this.service });
  }

  /** Ends the metrics. */
  close(): void {
    this.#watched.stop();
  }

  #saw(index: number, state: State, lag?: number): void {
    const node = this.#nodes[index]!;
    node.state = state;
    node.lag = lag ?? node.lag;
    node.seenAtMs = this.clock.nowMs();
  }

  #outvoted(index: number): void {
    count(METRICS.chainNodesOutvoted, { service: this.service, attributes: this.#nodes[index]!.attributes });
  }

  #readings(): Reading[] {
    const nowMs = this.clock.nowMs();
    return this.#nodes.filter(({ seenAtMs }) => nowMs - seenAtMs <= MAX_AGE_MS).flatMap(readingsOf);
  }
}

function readingsOf({ attributes, state, lag }: Node): Reading[] {
  const away = (['paused', 'failing'] as const).map((reason) => ({
    metric: METRICS.chainNodesAway,
    value: state === reason ? 1 : 0,
    attributes: { ...attributes, [ATTRIBUTES.away.name]: reason },
  }));
  // The slot of a node that does not answer is not known.
  if (state !== 'answering' || lag === undefined) return away;
  return [...away, { metric: METRICS.chainNodesLag, value: lag, attributes }];
}

/** Reports whether a node asked to be left alone. */
function isPause(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof HttpStatusError && error.cause.retryAfterMs > 0;
}

/** Reports whether another answer is wrong, not merely of another slot: an account may change in each. */
function canCompare(slot: number, slots: readonly number[]): boolean {
  const highest = Math.max(...slots);
  return slot >= Math.min(...slots) && (slot <= highest || slot > highest + TOLERANCE);
}
