import { type Clock, RecentlyUsed, sleep, type UsdPrice } from '@agent-wallet/kernel';
import { differsByMoreThan } from './price-distance.js';
import type { ReadingOptions } from './price-reader.js';
import { isKnown, type KnownPrice, type PriceResult, type UsdPrices } from './usd-prices.js';

/** Store in which the last accepted prices outlive the process. */
export interface AcceptedPriceStore {
  /** Returns the last accepted prices of the mints that have one. */
  load(mints: readonly string[]): Promise<ReadonlyMap<string, UsdPrice>>;
  /** Replaces the last accepted price of a mint. */
  save(mint: string, price: UsdPrice): Promise<void>;
}

/** Dependencies of accepted prices. */
export interface AcceptedPricesOptions {
  /** Known and fresh prices. */
  readonly fresh: UsdPrices;
  readonly clock: Clock;
  /** In the memory of the process when omitted. */
  readonly store?: AcceptedPriceStore;
  /** Time between the first and the second reading; default 1 000 ms. */
  readonly secondReadingAfterMs?: number;
  /** Waits; for tests. */
  readonly pause?: (durationMs: number) => Promise<void>;
}

/** A price this far from the last accepted one needs a second reading. */
const JUMP_PERCENT = 30n;
/** A second reading this close to the first agrees with it. */
const AGREEMENT_PERCENT = 5n;
/** Maximum age of a read from the store, in milliseconds. */
const LOAD_EVERY_MS = 1_000;
/** Maximum difference between the stored and the last accepted price, in percent, so that not every tick is written. */
const STORE_PERCENT = 1n;
/** Anyone can send an agent another token. */
const MAX_KNOWN = 20_000;

/**
 * Prices for limits. The first price of a mint is accepted as it is; after that, one that lies more than 30 % (of
 * the last accepted one) away is used only after a second reading, asked for at least a second later, lies within
 * 5 % of it. The second reading is made at once, in the same call, which then takes that second longer. When it
 * disagrees the answer is `jump`, and the newest reading is the one that the next call's reading has to agree with.
 * What is accepted becomes the last accepted price.
 */
export function acceptedPrices(options: AcceptedPricesOptions): UsdPrices {
  return new AcceptedPrices(options);
}

/** State of a mint. */
interface KnownMint {
  accepted?: UsdPrice;
  stored?: UsdPrice;
  load?: { readonly atMs: number; readonly done: Promise<void> };
  /** A jump that no second reading has settled yet. */
  suspect?: KnownPrice | undefined;
  secondReading?: Promise<PriceResult> | undefined;
}

class AcceptedPrices implements UsdPrices {
  /** A mint that is forgotten is loaded from the store when it is asked for again. */
  readonly #known = new RecentlyUsed<KnownMint>(MAX_KNOWN);
  readonly #secondReadingAfterMs: number;

  constructor(private readonly options: AcceptedPricesOptions) {
    this.#secondReadingAfterMs = options.secondReadingAfterMs ?? 1_000;
  }

  async prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, PriceResult>> {
    // Held from here to the end, however many other mints are asked for meanwhile.
    const known = new Map(mints.map((mint) => [mint, this.#known.useOrMake(mint, () => ({}))]));
    const [fresh] = await Promise.all([this.options.fresh.prices(mints, options), this.#load(known)]);
    const decided = [...known].flatMap(([mint, before]) => {
      const answer = fresh.get(mint);
      return answer ? [this.#decide(mint, before, answer).then((price) => [mint, price] as const)] : [];
    });
    return new Map(await Promise.all(decided));
  }

  /**
   * Loads the stored prices, to take account of what other replicas have accepted. Concurrent callers wait for the same
   * load.
   */
  async #load(known: ReadonlyMap<string, KnownMint>): Promise<void> {
    const { store, clock } = this.options;
    if (!store) return;
    const nowMs = clock.nowMs();
    const due = new Map([...known].filter(([, { load }]) => !(Math.abs(nowMs - (load?.atMs ?? NaN)) < LOAD_EVERY_MS)));
    if (due.size > 0) {
      const load = { atMs: nowMs, done: loadFrom(store, due) };
      for (const mint of due.values()) mint.load = load;
      load.done.catch(() => due.forEach((mint) => mint.load === load && delete mint.load));
    }
    await Promise.all([...known.values()].flatMap(({ load }) => load?.done ?? []));
  }

  async #decide(mint: string, known: KnownMint, answer: PriceResult): Promise<PriceResult> {
    if (!isKnown(answer)) return answer;
    if (!isJump(known, answer) || this.#isConfirmed(known, answer)) return this.#accept(mint, known, answer);
    // One second reading a mint at a time; callers that meet the same jump meanwhile share its result.
    known.secondReading ??= this.#readAgain(mint, known, answer).finally(() => delete known.secondReading);
    return known.secondReading;
  }

  /** Reports whether a suspect of an earlier call, read long enough before, agrees. */
  #isConfirmed({ suspect }: KnownMint, { price, readAtMs }: KnownPrice): boolean {
    return (
      suspect !== undefined &&
      readAtMs >= suspect.readAtMs + this.#secondReadingAfterMs &&
      !differsByMoreThan(price, suspect.price, AGREEMENT_PERCENT)
    );
  }

  async #readAgain(mint: string, known: KnownMint, first: KnownPrice): Promise<PriceResult> {
    known.suspect = first;
    const { clock, fresh, pause = sleepAtLeast } = this.options;
    const notBeforeMs = first.readAtMs + this.#secondReadingAfterMs;
    // No longer than that, though the clock was set back meanwhile.
    await pause(Math.min(Math.max(0, notBeforeMs - clock.nowMs()), this.#secondReadingAfterMs));
    const second = (await fresh.prices([mint], { readAfterMs: notBeforeMs - 1 })).get(mint);
    if (!isKnown(second)) return second ?? { unavailable: 'unknown' };
    if (!isJump(known, second) || this.#isConfirmed(known, second)) return this.#accept(mint, known, second);
    known.suspect = second;
    return { unavailable: 'jump' };
  }

  async #accept(mint: string, known: KnownMint, answer: KnownPrice): Promise<KnownPrice> {
    const { price } = answer;
    known.accepted = price;
    delete known.suspect;
    const { store } = this.options;
    if (store && (!known.stored || differsByMoreThan(price, known.stored, STORE_PERCENT))) {
      await store.save(mint, price);
      known.stored = price;
    }
    return answer;
  }
}

async function loadFrom(store: AcceptedPriceStore, known: ReadonlyMap<string, KnownMint>): Promise<void> {
  for (const [address, price] of await store.load([...known.keys()])) {
    const mint = known.get(address);
    if (!mint || isSame(price, mint.stored)) continue;
    mint.accepted = price;
    mint.stored = price;
  }
}

function isJump({ accepted }: KnownMint, { price }: KnownPrice): boolean {
  return accepted !== undefined && differsByMoreThan(price, accepted, JUMP_PERCENT);
}

function isSame(a: UsdPrice, b: UsdPrice | undefined): boolean {
  return a.digits === b?.digits && a.scale === b.scale;
}

/** A timer may fire when the clock is still a millisecond short, which would make the second reading too early. */
const TIMER_SLACK_MS = 5;

function sleepAtLeast(ms: number): Promise<void> {
  return sleep(ms + TIMER_SLACK_MS);
}
