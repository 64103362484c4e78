import type { Exchange, MarketSpec } from '../engine/exchange.js';
import type { ExchangeWorld } from './exchange-world.js';
import { quotesAt } from './market-maker.js';
import { PRICE_RANGES } from './price-structures.js';
import type { EventRecord, MarketRecord, MarketText, SeriesRecord } from './records.js';
import { chance } from './seed/seed-builder.js';

/** From determined to finalized, unless an admin acts at once. */
const SETTLEMENT_TIMER_SECONDS = 1_800;

/** Fees of an event's markets: its own, or its series'. */
function feeOf(event: EventRecord, series: SeriesRecord): Pick<MarketSpec, 'feeType' | 'feeMultiplier'> {
  const { fee } = event;
  if (fee) return { feeType: fee.type, feeMultiplier: fee.multiplier };
  return { feeType: series.feeType, feeMultiplier: series.feeMultiplier };
}

/** How a market trades, for the engine. */
export function specOf(
  world: ExchangeWorld,
  text: MarketText,
  times: Pick<MarketSpec, 'openTimeMs' | 'closeTimeMs'>,
): MarketSpec {
  const event = world.events.get(text.eventTicker)!;
  const series = world.series.get(event.seriesTicker)!;
  return {
    ticker: text.ticker,
    eventTicker: text.eventTicker,
    openTimeMs: times.openTimeMs,
    closeTimeMs: times.closeTimeMs,
    settlementTimerSeconds: SETTLEMENT_TIMER_SECONDS,
    priceRanges: PRICE_RANGES[text.priceStructure],
    ...feeOf(event, series),
  };
}

/** Lists the markets the world begins with; nothing of that is written down. */
export function listSeed(world: ExchangeWorld, exchange: Exchange): void {
  for (const market of world.seed.markets) {
    const { text, terms } = market;
    exchange.list(
      { ...specOf(world, text, terms), past: pastOf(market) },
      {
        ...(terms.fairCents !== undefined && !terms.settled && { quotes: quotesAt(market) }),
        ...(terms.isPaused && { isPaused: true }),
        ...(terms.settled && { settled: { result: terms.settled } }),
      },
    );
  }
}

/** Some trading before the world began, in markets that had opened by then. */
function pastOf({ text: { ticker, updatedMs }, terms }: MarketRecord): NonNullable<MarketSpec['past']> {
  const { fairCents = 0, openTimeMs } = terms;
  const price = openTimeMs > updatedMs ? 0n : BigInt(fairCents) * 10_000n;
  const daily = price === 0n ? 0n : BigInt(Math.round(chance(`${ticker}/volume`) * 5_000)) * 100n;
  return {
    lastPriceMicros: price,
    previousPriceMicros: price,
    volumeHundredths: daily * 7n,
    volume24hHundredths: daily,
    openInterestHundredths: daily * 2n,
  };
}
