/** The best prices of a market; undefined without bids or offers. */
interface Quoted {
  readonly status: string;
  readonly paused: boolean;
  readonly yesBidUsdMicros: bigint | undefined;
  readonly yesAskUsdMicros: bigint | undefined;
}

/** Reports whether a market trades right now and has a bid or an offer. */
export function isTradeable({ status, paused, yesBidUsdMicros, yesAskUsdMicros }: Quoted): boolean {
  return status === 'open' && !paused && (yesBidUsdMicros !== undefined || yesAskUsdMicros !== undefined);
}
