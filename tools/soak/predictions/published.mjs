// What an agent must have, by the responses that it got.

const MICROS = 1e6;

/** Exact micro-dollars of a JSON number with at most 6 decimals. */
export const micros = (dollars) => BigInt(Math.round(dollars * MICROS));

/** Contracts as hundredths. */
export const hundredths = (contracts) => Math.round(contracts * 100);

/** The sums of an agent's answers. Money is in micro-dollars, contracts are in hundredths. */
export class ResponseTotals {
  /** `Map('ticker side' → hundredths)` of what it bought and has not sold, settled or not. */
  held = new Map();
  /** Of all orders that were filled. */
  bought = 0n;
  sold = 0n;
  /** What its limits must have counted: escrows less what came back to the wallet. */
  counted = 0n;

  constructor(wallet) {
    this.wallet = wallet;
    /** All that ever came from outside. */
    this.deposited = wallet;
    /** Without what settlements have paid. */
    this.balance = 0n;
  }

  buy({ ticker, side, count, totalCostDollars, feeDollars, refundedDollars, refundedToBalance }) {
    const cost = micros(totalCostDollars) + micros(feeDollars);
    const back = refundedToBalance ? micros(refundedDollars) : 0n;
    this.wallet -= cost + back;
    this.balance += back;
    this.bought += cost;
    this.counted += cost + back;
    this.#hold(ticker, side, hundredths(count));
  }

  sell({ ticker, side, count, totalProceedsDollars, feeDollars, paidToBalance }) {
    const proceeds = micros(totalProceedsDollars) - micros(feeDollars);
    if (paidToBalance) this.balance += proceeds;
    else this.wallet += proceeds;
    this.sold += proceeds;
    this.#hold(ticker, side, -hundredths(count));
  }

  withdraw({ amountDollars }) {
    this.wallet += micros(amountDollars);
    this.balance -= micros(amountDollars);
  }

  deposit(dollars) {
    this.wallet += micros(dollars);
    this.deposited += micros(dollars);
  }

  #hold(ticker, side, change) {
    const key = `${ticker} ${side}`;
    this.held.set(key, (this.held.get(key) ?? 0) + change);
  }
}
