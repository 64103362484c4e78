// What goes wrong while agents trade.
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const TICK_MS = 20;
/** The incinerator, which has no owner: what is sent there only makes time pass. */
const INCINERATOR = '1nc1nerator11111111111111111111111111111111';
const ORDERS = { method: 'POST', path: '/portfolio/events/orders' };
const FILLS = { method: 'GET', path: '/portfolio/fills' };

/** Faults, how often they may strike, how long they may take, and what they strike other than what they do by themselves. */
const FAULTS = [
  { part: 'exchange', fault: 'error429', most: 3, match: ORDERS },
  { part: 'exchange', fault: 'error429', most: 3, match: FILLS },
  { part: 'exchange', fault: 'error500', most: 2, match: ORDERS },
  { part: 'exchange', fault: 'error500', most: 2, match: FILLS },
  { part: 'exchange', fault: 'errorAfterAccept', most: 2 },
  { part: 'exchange', fault: 'dropAfterAccept', most: 2 },
  { part: 'exchange', fault: 'delay', most: 3, delayMs: 1_500 },
  { part: 'exchange', fault: 'partialFill', most: 3 },
  { part: 'exchange', fault: 'rejectOrder', most: 2 },
  { part: 'exchange', fault: 'lagPortfolio', most: 4, delayMs: 2_000 },
  { part: 'exchange', fault: 'duplicateSettlement', most: 1 },
  { part: 'chain', fault: 'landThenFailReply', most: 2 },
  { part: 'chain', fault: 'error500', most: 3 },
];

/** Takes as long as a transaction takes to be dead for certain. */
const DROP = { part: 'chain', fault: 'drop', most: 2 };

/** Kills and faults at places of a round that chance chooses. */
export class Outages {
  /** How often each of them happened. */
  done = {};
  #hasDropped = false;

  /** In one of `dropsIn` rounds a transaction is lost; never, when that is omitted. */
  constructor({ deployment, random, dropsIn = Infinity }) {
    Object.assign(this, { deployment, random, dropsIn });
  }

  /** Some for a round of so many operations; `doneOf()` tells how many are done, `isOver()` when nothing follows. */
  async during({ operations, doneOf, isOver }) {
    const plan = this.#plan(operations);
    for (const { after, act } of plan) {
      while (doneOf() < after && !isOver()) await sleep(POLL_MS);
      if (isOver()) break;
      await act();
    }
  }

  /** What was dropped has expired once enough slots have passed. Without a slot time the chain makes one for each transaction. */
  async keepTime(isOver) {
    while (!isOver()) {
      if (this.#hasDropped) await this.deployment.sandbox.faucet(INCINERATOR, 'SOL', 0.001);
      await sleep(TICK_MS);
    }
    this.#hasDropped = false;
  }

  #plan(operations) {
    const at = () => this.random.integer(0, operations - 1);
    const kills = ['prediction', 'wallet'].filter(() => this.random.oneIn(2));
    const plan = kills.map((service) => ({ after: at(), act: () => this.#kill(service) }));
    for (let i = this.random.integer(6, 12); i > 0; i -= 1)
      plan.push({ after: at(), act: () => this.#arm(this.random.pick(FAULTS)) });
    if (this.random.oneIn(this.dropsIn)) plan.push({ after: at(), act: () => this.#drop() });
    return plan.toSorted((a, b) => a.after - b.after);
  }

  async #kill(service) {
    this.#count(`kill ${service}`);
    await this.deployment.kill(`${service}-0`);
    await sleep(this.random.integer(0, 1_000));
    await this.deployment.restart(`${service}-0`);
  }

  #drop() {
    this.#hasDropped = true;
    return this.#arm(DROP);
  }

  async #arm({ most, delayMs, ...fault }) {
    this.#count(`${fault.part} ${fault.fault}`);
    const times = this.random.integer(1, most);
    const delay = delayMs === undefined ? {} : { delayMs: this.random.integer(100, delayMs) };
    await this.deployment.sandbox.arm({ ...fault, times, ...delay });
  }

  #count(name) {
    this.done[name] = (this.done[name] ?? 0) + 1;
  }
}
