import type { Attributes, GaugeMetric } from './names.js';

/** Reading of one poll. */
export interface Reading {
  readonly metric: GaugeMetric;
  readonly value: number;
  readonly attributes?: Attributes;
}

/** Something that is looked at when metrics are asked for. */
export interface Watch {
  readonly service: string;
  /** Time that a poll is reused, in milliseconds; 5 s when omitted. */
  readonly keepMs?: number;
  /** One reading: cheap, because every scrape makes one. */
  readonly look: () => Promise<readonly Reading[]>;
}
