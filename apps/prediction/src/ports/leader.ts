/** Work that one replica of the service does at a time. */
export type LedWork = 'settlement' | 'comparison';

/** Makes one copy of the service at a time do something. */
export interface Leader {
  /** Does the work unless another copy is at it: then undefined. */
  lead<Result>(work: LedWork, round: () => Promise<Result>): Promise<Result | undefined>;
}
