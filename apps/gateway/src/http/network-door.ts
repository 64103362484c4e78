import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { RateLimited, type RateWindow } from '../domain/rate-limits.js';

/** A few bytes each. A network that is forgotten is refused again after one more request. */
const FULL_NETWORKS_AT_MOST = 10_000;
/** Enough for agents behind one address that all log in at once: a verification takes well under a millisecond. */
const VERIFYING_AT_ONCE = 16;

/** Turns of one network: those who wait, in their order. */
interface Turns {
  taken: number;
  readonly waiting: Array<() => void>;
}

/**
 * The part of the rate limit of networks that needs no database. A network that the database found over its limit is
 * refused here until its window ends, at the cost of one look-up: no signature is checked, no key is looked for on disk,
 * and no statement runs. What is refused here need not be counted: the window is full, and more requests do not make it
 * longer. The database still decides who is over the limit, so the limit is exact across replicas. Until it has said so
 * of a network, its tokens that were never verified before take turns, few at once. So many forged ones at the same time
 * cause no more verifications than the limit and these turns allow.
 */
export class NetworkDoor {
  readonly #full = new RecentlyUsed<RateWindow>(FULL_NETWORKS_AT_MOST);
  readonly #turns = new Map<string, Turns>();

  constructor(private readonly clock: Clock) {}

  /** @throws RateLimited when the network is known to be over its limit */
  assertOpen(network: string): void {
    const window = this.#full.use(network);
    if (!window) return;
    const nowMs = this.clock.nowMs();
    if (nowMs < window.resetsAtMs) throw new RateLimited('client', window, nowMs);
    this.#full.drop(network);
  }

  /** Judges what the database counted. @throws RateLimited when the network is over its limit */
  assertLeft(network: string, window: RateWindow): void {
    if (window.remaining >= 0) return;
    this.#full.keep(network, window);
    throw new RateLimited('client', window, this.clock.nowMs());
  }

  /**
   * Waits for the network's turn to have a token verified. Returns what ends the turn.
   * @throws RateLimited when the network came to be over its limit meanwhile
   */
  async takeTurn(network: string): Promise<() => void> {
    const turns = this.#turns.get(network) ?? { taken: 0, waiting: [] };
    this.#turns.set(network, turns);
    if (turns.taken < VERIFYING_AT_ONCE) turns.taken += 1;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve)); // who ends a turn hands it on
    const end = () => this.#endTurn(network, turns);
    try {
      this.assertOpen(network);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  #endTurn(network: string, turns: Turns): void {
    const next = turns.waiting.shift();
    if (next) next();
    else if ((turns.taken -= 1) === 0) this.#turns.delete(network);
  }
}
