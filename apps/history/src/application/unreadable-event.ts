/** An event that cannot be recorded as what it claims to be; the message says why. */
export class UnreadableEvent extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableEvent';
  }
}

const YEAR_10000_MS = 253_402_300_800_000n;

/** Returns a time as a number. @throws UnreadableEvent outside the years 1970 to 9999 */
export function checkTime(name: string, ms: bigint): number {
  if (ms <= 0n || ms >= YEAR_10000_MS) throw new UnreadableEvent(`${name} is not a time`);
  return Number(ms);
}
