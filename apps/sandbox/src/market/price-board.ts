import { formatAmount, readDecimal } from '@agent-wallet/kernel';
import type { ChainClock } from '../chain/chain-clock.js';
import { type Key, keyText, parseKey } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';
import { MAINNET_TOKENS } from '../tokens/mainnet.js';
import { walk } from './price-walk.js';

/** Decimals the walk may add to a price. */
const WALK_SCALE = 6;
const WALK_PARTS = 1_000_000n;
const CUSTOM_WALK_BPS = 200;

/** A price as it is answered. */
interface Price {
  /** JSON text of `usdPrice`: an exact decimal, or what an admin put in its place. */
  readonly usdText: string;
  /** The slot at which it was made. */
  readonly blockId: number;
}

/** Publisher of prices: the aggregator's API, and the oracle's accounts on the chain. */
export type PriceSource = 'aggregator' | 'oracle';

/** Values that one source publishes in place of the market's. Omitted ones are as in the market. */
export interface Deviation {
  /** JSON text of the price; null: the source has none. */
  readonly usdText?: string | null | undefined;
  readonly ageMs?: number | undefined;
  /** The liquidity that the aggregator states, in dollars. */
  readonly liquidityUsd?: number | undefined;
  /** The change of 24 hours that the aggregator states, in percent. */
  readonly change24hPercent?: number | undefined;
  /** Confidence interval that the oracle states, in percent of the price. */
  readonly confidencePercent?: number | undefined;
}

/** A price as a source publishes it. */
export interface PublishedPrice
  extends Price, Pick<Deviation, 'liquidityUsd' | 'change24hPercent' | 'confidencePercent'> {}

/** Changes that the admin makes to prices. All but `deviate` change the market, and so both sources. */
type PriceChange =
  | { readonly kind: 'set'; readonly usdText: string; readonly ageMs: number }
  | { readonly kind: 'age'; readonly ageMs: number }
  | { readonly kind: 'remove' }
  | { readonly kind: 'deviate'; readonly source: PriceSource; readonly deviation: Deviation };

interface Entry {
  /** The price at `walkMs`, from which it walks on. */
  readonly usdText: string;
  readonly walkMs: number;
  readonly walkBps: number;
  readonly ageMs: number;
}

type PriceRecord =
  | { readonly freeze: boolean; readonly timeMs: number }
  | { readonly mint: string; readonly change: PriceChange; readonly timeMs: number };

/**
 * The prices of this world. Each walks around what it was last set to; frozen ones stand still. A price is as fresh
 * as the chain's head, unless it was aged: then it is that much older whenever it is read. Both sources publish these
 * prices until one is made to deviate; the pools follow the market alone.
 */
export class PriceBoard {
  private readonly entries = new Map<Key, Entry>();
  private readonly deviations: Record<PriceSource, Map<Key, Deviation>> = { aggregator: new Map(), oracle: new Map() };
  private readonly listeners = new Set<(mint: Key) => void>();
  private frozenSinceMs: number | undefined;
  private frozenMs = 0;

  constructor(
    private readonly seed: Buffer,
    private readonly clock: ChainClock,
    private readonly journal: Journal,
  ) {
    const walkMs = clock.slotTimeMs(0);
    for (const { mint, usd, walkBps } of MAINNET_TOKENS)
      this.entries.set(mint, { usdText: usd, walkMs, walkBps, ageMs: 0 });
  }

  /** Takes back what an admin did before. */
  replay(payload: Buffer): void {
    this.apply(JSON.parse(payload.toString()) as PriceRecord);
  }

  /** Sets, ages or removes a price. */
  change(mint: Key, change: PriceChange): void {
    this.record({ mint: keyText(mint), change, timeMs: this.clock.nowMs() });
    if (change.kind === 'set') for (const listener of this.listeners) listener(mint);
  }

  /** Calls back whenever a price was set. */
  onSet(listener: (mint: Key) => void): void {
    this.listeners.add(listener);
  }

  /** Stops the walk, or lets it go on from where it stands. */
  freeze(freeze: boolean): void {
    if (freeze !== this.isFrozen) this.record({ freeze, timeMs: this.clock.nowMs() });
  }

  get isFrozen(): boolean {
    return this.frozenSinceMs !== undefined;
  }

  /** The price's text now, at any age; undefined when there is none. */
  usdText(mint: Key): string | undefined {
    const entry = this.entries.get(mint);
    return entry && this.walked(mint, entry);
  }

  /** The price now, made at `headSlot` or, if it was aged, that much before; undefined when there is none. */
  get(mint: Key, headSlot: number): Price | undefined {
    const entry = this.entries.get(mint);
    if (!entry) return undefined;
    const blockId = entry.ageMs === 0 ? headSlot : this.agedBlock(headSlot, entry.ageMs);
    return { usdText: this.walked(mint, entry), blockId };
  }

  /** Returns the price that a source publishes; undefined when it publishes none. */
  published(source: PriceSource, mint: Key, headSlot: number): PublishedPrice | undefined {
    const market = this.get(mint, headSlot);
    const { usdText = market?.usdText, ageMs, ...rest } = this.deviation(source, mint) ?? {};
    if (usdText === undefined || usdText === null) return undefined;
    const blockId = ageMs === undefined ? (market?.blockId ?? headSlot) : this.agedBlock(headSlot, ageMs);
    return { usdText, blockId, ...rest };
  }

  /** Returns the values that a source publishes in place of the market's; undefined while it publishes those. */
  deviation(source: PriceSource, mint: Key): Deviation | undefined {
    return this.deviations[source].get(mint);
  }

  private agedBlock(headSlot: number, ageMs: number): number {
    return this.clock.slotAt(this.clock.slotTimeMs(headSlot) - ageMs);
  }

  private walked(mint: Key, { usdText, walkMs, walkBps }: Entry): string {
    const name = keyText(mint);
    const drift = walk(this.seed, name, this.walkTimeMs(this.clock.nowMs())) - walk(this.seed, name, walkMs);
    const parts = BigInt(Math.round((drift * walkBps * Number(WALK_PARTS)) / 20_000));
    if (parts === 0n || !isPlainPrice(usdText)) return usdText;
    const { digits, scale } = readDecimal(usdText);
    return formatAmount(digits * (WALK_PARTS + parts), scale + WALK_SCALE);
  }

  /** Time as the walk counts it: frozen spells do not. */
  private walkTimeMs(timeMs: number): number {
    return Math.min(timeMs, this.frozenSinceMs ?? Infinity) - this.frozenMs;
  }

  private record(record: PriceRecord): void {
    this.journal.append(RecordType.price, Buffer.from(JSON.stringify(record)));
    this.apply(record);
  }

  private apply(record: PriceRecord): void {
    if ('freeze' in record) this.applyFreeze(record);
    else this.applyChange(parseKey(record.mint)!, record.change, record.timeMs);
  }

  private applyFreeze({ freeze, timeMs }: { freeze: boolean; timeMs: number }): void {
    if (!freeze) this.frozenMs += timeMs - this.frozenSinceMs!;
    this.frozenSinceMs = freeze ? timeMs : undefined;
  }

  private applyChange(mint: Key, change: PriceChange, timeMs: number): void {
    if (change.kind === 'deviate') {
      const { source, deviation } = change;
      this.deviations[source].set(mint, { ...this.deviation(source, mint), ...deviation });
      return;
    }
    for (const deviations of Object.values(this.deviations)) deviations.delete(mint);
    const before = this.entries.get(mint);
    if (change.kind === 'remove') this.entries.delete(mint);
    else if (change.kind === 'age') this.entries.set(mint, { ...before!, ageMs: change.ageMs });
    else {
      const walkBps = before?.walkBps ?? CUSTOM_WALK_BPS;
      this.entries.set(mint, {
        usdText: change.usdText,
        walkMs: this.walkTimeMs(timeMs),
        walkBps,
        ageMs: change.ageMs,
      });
    }
  }
}

/** Whether it can be reckoned with: odd values an admin put there stay as they are. */
export function isPlainPrice(text: string): boolean {
  return /^(0|[1-9]\d{0,30})(\.\d{1,30})?$/.test(text);
}
