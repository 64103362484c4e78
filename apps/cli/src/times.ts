import { type Args, optionalText } from './args.js';
import { UsageError } from './exit-codes.js';

const DURATION = /^(\d{1,5})([mhdw])$/;
const MINUTES = { m: 1, h: 60, d: 1_440, w: 10_080 } as const;
const DATE = /^(\d{4}-\d{2}-(\d{2}))(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** The clock and the time zone that times are read with. */
export interface Clock {
  readonly nowMs: number;
  readonly isUtc: boolean;
}

/**
 * Returns a time as the service takes it: of a date or a time, which is local without a zone, or of a duration before now.
 * @throws UsageError
 */
export function optionalTime(args: Args, name: string, clock: Clock): string | undefined {
  const given = optionalText(args, name);
  if (given === undefined) return undefined;
  const time = timeOf(given, clock);
  if (time === undefined) {
    throw new UsageError(
      `--${name} takes a date such as 2026-11-01, a time such as 2026-11-01T09:30, or 7d, not ${given}.`,
    );
  }
  return time.toISOString();
}

function timeOf(given: string, { nowMs, isUtc }: Clock): Date | undefined {
  const [, count, unit] = DURATION.exec(given) ?? [];
  if (count !== undefined) return new Date(nowMs - Number(count) * MINUTES[unit as keyof typeof MINUTES] * 60_000);
  const [, date, day, hours = '00:00', zone = isUtc ? 'Z' : ''] = DATE.exec(given) ?? [];
  // JavaScript reads 30 February as 2 March.
  if (date === undefined || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const time = new Date(`${date}T${hours}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
