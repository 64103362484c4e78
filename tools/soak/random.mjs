// Chance that can be repeated.

/** A generator of numbers in [0, 1) by its seed (mulberry32), with the picks that are made of them. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`. */
  integer(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }

  /** True in one of `count` cases. */
  oneIn(count) {
    return this.next() < 1 / count;
  }
}
