import { z } from 'zod';
import { cursor, list, name, numberText, optionalInstant, text } from './fields.js';
import { market } from './market.js';

/** Source of a result. */
export const settlementSource = z.object({ name: text, url: text });

/** An event; its markets only where they were asked for. */
const event = z
  .object({
    event_ticker: name,
    series_ticker: name,
    title: text,
    sub_title: text,
    category: text,
    mutually_exclusive: z.boolean().default(false),
    strike_date: optionalInstant,
    strike_period: text,
    settlement_sources: list(settlementSource),
    last_updated_ts: optionalInstant,
    fee_type_override: text,
    fee_multiplier_override: numberText,
    markets: list(market),
  })
  .transform((wire) => ({
    eventTicker: wire.event_ticker,
    seriesTicker: wire.series_ticker,
    title: wire.title,
    subTitle: wire.sub_title,
    category: wire.category,
    mutuallyExclusive: wire.mutually_exclusive,
    strikeDateMs: wire.strike_date,
    strikePeriod: wire.strike_period,
    settlementSources: wire.settlement_sources,
    lastUpdatedAtMs: wire.last_updated_ts,
    /** Empty where the series' fees apply. */
    feeTypeOverride: wire.fee_type_override,
    feeMultiplierOverride: wire.fee_multiplier_override,
    markets: wire.markets,
  }));

/** An event as the exchange describes it. */
export type EventRecord = z.output<typeof event>;

/** Response of `GET /events/{ticker}`: the markets are within the event or, as of old, beside it. */
export const eventResponse = z
  .object({ event, markets: list(market) })
  .transform(({ event: found, markets }) => (found.markets.length > 0 ? found : { ...found, markets }));

/** Response of `GET /events`. */
export const eventsResponse = z.object({ events: list(event), cursor });
