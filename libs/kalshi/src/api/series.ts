import { z } from 'zod';
import { settlementSource } from './event.js';
import { contracts, list, name, text } from './fields.js';

/** A series. */
const series = z
  .object({
    ticker: name,
    title: text,
    category: text,
    categories: list(z.string()),
    tags: list(z.string()),
    frequency: text,
    settlement_sources: list(settlementSource),
    contract_url: text,
    contract_terms_url: text,
    fee_type: z.string(),
    fee_multiplier: z.number().min(0),
    volume_fp: contracts.nullish(),
  })
  .transform((wire) => ({
    ticker: wire.ticker,
    title: wire.title,
    category: wire.category,
    categories: wire.categories,
    tags: wire.tags,
    frequency: wire.frequency,
    settlementSources: wire.settlement_sources,
    contractUrl: wire.contract_url,
    contractTermsUrl: wire.contract_terms_url,
    feeType: wire.fee_type,
    /** Decimal text. */
    feeMultiplier: String(wire.fee_multiplier),
    volume: wire.volume_fp ?? undefined,
  }));

/** A series as the exchange describes it. */
export type SeriesRecord = z.output<typeof series>;

/** Response of `GET /series/{ticker}`. */
export const seriesResponse = z.object({ series });

/** Response of `GET /series`: all of them, without pages. */
export const seriesListResponse = z.object({ series: list(series) });
