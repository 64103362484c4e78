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

/** A network over its limit, and how many tokens of it were verified since. */
interface FullNetwork {
  readonly window: RateWindow;
  verified: number;
}

/**
 * The part of the rate limit of networks that needs no database. A network that the database found over its limit is
 * refused here until its window ends, at the cost of one look-up: no statement runs. What is refused here need not be
 * counted: the window is full, and more requests do not make it longer. The database still decides who is over the limit, so
 * the limit is exact across replicas. Good sessions of the network go on, as they are not counted in it. Tokens that were
 * never verified before take turns, few at once; of a network over its limit, as many more as the limit are verified in
 * the window. So many forged ones at the same time cause no more verifications than twice the limit and these turns allow.
 */
export class NetworkDoor {
  readonly #full = new RecentlyUsed<FullNetwork>(FULL_NETWORKS_AT_MOST);
  readonly #turns = new Map<string, Turns>();

  constructor(private readonly clock: Clock) {}

  /** @throws RateLimited when the network is known to be over its limit */
  assertOpen(network: string): void {
    const full = this.#findFull(network);
    if (full) throw new RateLimited('client', full.window, this.clock.nowMs());
  }

  #findFull(network: string): FullNetwork | undefined {
    const full = this.#full.use(network);
    if (!full || this.clock.nowMs() < full.window.resetsAtMs) return full;
    this.#full.drop(network);
    return undefined;
  }

  /** Counts a verification of a network over its limit. @throws RateLimited when it had as many as its limit */
  #assertMayVerify(network: string): void {
    const full = this.#findFull(network);
    if (!full) return;
    if (full.verified >= full.window.limit) throw new RateLimited('client', full.window, this.clock.nowMs());
    full.verified += 1;
  }

  /** Judges what the database counted. @throws RateLimited when the network is over its limit */
  assertLeft(network: string, window: RateWindow): void {
    if (window.remaining >= 0) return;
    const verified = this.#findFull(network)?.verified ?? 0;
    this.#full.keep(network, { window, verified });
    throw new RateLimited('client', window, this.clock.nowMs());
  }

  /**
   * Waits for the network's turn to have a token verified. Returns what ends the turn.
   * @throws RateLimited when the network is over its limit, and had as many tokens verified since
   */
  async takeTurn(network: string): Promise<() => void> {
    const turns = this.#turns.get(network) ?? { taken: 0, waiting: [] };
    this.#turns.set(network, turns);
    if (turns.taken < VERIFYING_AT_ONCE) turns.taken += 1;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve)); // who ends a turn hands it on
    const end = () => this.#endTurn(network, turns);
    try {
      this.#assertMayVerify(network);
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
