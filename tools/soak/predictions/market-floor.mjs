// Markets that open, move, stop and end at random.

const PRICES = { least: 4, most: 96 };
const HUNDRED = 100;
/**
 * Agents share polls of a market, and a poll may take as long as the exchange is made to take: it may refuse so late.
 */
const SNAPSHOT_STALE_MS = 5_000;

/** The markets of a run at the sandbox's exchange, and how those ended that have. */
export class MarketSimulator {
  /** Tickers in which something may happen, open or not. */
  tickers = [];
  /** `Map(ticker → cents that a contract of yes paid)`. */
  ended = new Map();
  #held = new Set();
  /** `Map(ticker → when it was last opened again)`, by `performance.now()`. */
  #resumedAtMs = new Map();
  #made = 0;
  /** One event after the other: what has ended is moved no more. */
  #turn = Promise.resolve();

  constructor({ sandbox, random, name }) {
    Object.assign(this, { sandbox, random, name });
  }

  /** Opens so many more. */
  async open(count) {
    for (let i = 0; i < count; i += 1) {
      const ticker = `${this.name}-${(this.#made += 1)}`;
      const yesBid = this.random.integer(20, 70);
      const yesAsk = yesBid + this.random.integer(1, 10);
      await this.sandbox.addMarket({ ticker, title: `${ticker}?`, yesBid, yesAsk, size: this.random.integer(20, 200) });
      this.tickers.push(ticker);
    }
  }

  /** Whether nothing but a book can refuse an order there now; the answer tells whether that has been so since. */
  openness(ticker) {
    const isOpen = () => this.tickers.includes(ticker) && !this.#held.has(ticker);
    const resumedAtMs = this.#resumedAtMs.get(ticker) ?? -Infinity;
    const was = isOpen() && performance.now() - resumedAtMs > SNAPSHOT_STALE_MS;
    return () => was && isOpen() && (this.#resumedAtMs.get(ticker) ?? -Infinity) === resumedAtMs;
  }

  /** Something that happens to one of them: most often its book changes. */
  move() {
    return this.#inTurn(async () => {
      const ticker = this.random.pick(this.tickers);
      if (this.#held.has(ticker)) return this.#resume(ticker);
      if (this.random.oneIn(20)) return this.#hold(ticker);
      return this.sandbox.setBook(ticker, this.#quotes());
    });
  }

  /** Ends one, in any of the ways there are, and opens another. */
  settle() {
    return this.#inTurn(() => this.#settle());
  }

  #inTurn(act) {
    this.#turn = this.#turn.then(act);
    return this.#turn;
  }

  async #settle() {
    const ticker = this.random.pick(this.tickers);
    const cents = this.random.integer(1, 99);
    const [result, yesCents] = this.random.pick([
      ['yes', HUNDRED],
      ['yes', HUNDRED],
      ['no', 0],
      ['no', 0],
      ['void', cents],
      ['scalar', cents],
    ]);
    this.tickers = this.tickers.filter((other) => other !== ticker);
    this.#held.delete(ticker);
    this.ended.set(ticker, yesCents);
    await this.sandbox.settle(ticker, result, ['void', 'scalar'].includes(result) ? cents : undefined);
    await this.open(1);
  }

  async #hold(ticker) {
    this.#held.add(ticker);
    await this.sandbox.setMarketStatus(ticker, this.random.pick(['paused', 'closed']));
  }

  async #resume(ticker) {
    await this.sandbox.setMarketStatus(ticker, 'open');
    this.#resumedAtMs.set(ticker, performance.now());
    this.#held.delete(ticker);
  }

  /** A book of any depth, also of none; contracts come in hundredths. */
  #quotes() {
    const middle = this.random.integer(PRICES.least + 2, PRICES.most - 2);
    return { yesBids: this.#side(middle - 1), noBids: this.#side(HUNDRED - middle - 1) };
  }

  #side(best) {
    const levels = [];
    let price = best;
    for (let left = this.random.oneIn(10) ? 0 : this.random.integer(1, 4); left > 0 && price >= 1; left -= 1) {
      const size = this.random.oneIn(3) ? this.random.integer(50, 3_000) / HUNDRED : this.random.integer(1, 60);
      levels.push([price, size]);
      price -= this.random.integer(1, 4);
    }
    return levels;
  }
}
