import { createHash } from 'node:crypto';
import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';

/** The price of block space: a base that a seeded pseudo-random factor changes in each slot. */
export interface FeeMarketSettings {
  /** Micro-lamports for each compute unit; 0: every price lands. */
  readonly priceMicroLamports: number;
  /** The most by which a slot's price differs from the base. */
  readonly spreadPercent: number;
  readonly seed: number;
}

/** Settings with the first slot that they price. */
export type FeeMarketPeriod = FeeMarketSettings & { readonly fromSlot: number };

/** The lowest compute unit price that lands in each slot. A change leaves the prices of earlier slots as they were. */
export class FeeMarket {
  private readonly periods: FeeMarketPeriod[] = [];

  constructor(private readonly journal: Journal) {}

  /** Sets the prices from a slot on. @throws JournalNotWritten: nothing was changed */
  set(period: FeeMarketPeriod): void {
    this.journal.append(RecordType.feeMarket, Buffer.from(JSON.stringify(period)));
    this.periods.push(period);
  }

  /** Restores a recorded period. */
  replay(payload: Buffer): void {
    this.periods.push(JSON.parse(payload.toString()) as FeeMarketPeriod);
  }

  /** Returns a slot's price in micro-lamports for each compute unit. */
  priceAt(slot: number): number {
    const period = this.periods.findLast(({ fromSlot }) => fromSlot <= slot);
    return period ? slotPrice(period, slot) : 0;
  }
}

/** Returns the price that settings have in a slot: the base, changed by a factor of seed and slot. */
export function slotPrice({ priceMicroLamports, spreadPercent, seed }: FeeMarketSettings, slot: number): number {
  const digest = createHash('sha256').update(`${seed}/${slot}`).digest();
  const share = (digest.readUInt32LE(0) / 0xffffffff) * 2 - 1;
  return Math.round(priceMicroLamports * (1 + (share * spreadPercent) / 100));
}
