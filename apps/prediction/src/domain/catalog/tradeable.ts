/** The best prices of a market; undefined without bids or offers. */
interface Quoted {
  readonly status: string;
  readonly paused: boolean;
  readonly yesBidUsdMicros: bigint | undefined;
  readonly yesAskUsdMicros: bigint | undefined;
}

/** Whether there are bids or offers in a market that trades right now. */
export function isTradeable({ status, paused, yesBidUsdMicros, yesAskUsdMicros }: Quoted): boolean {
  return status === 'open' && !paused && (yesBidUsdMicros !== undefined || yesAskUsdMicros !== undefined);
}
