import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/**
 * Measures the distance of a Postgres consumer from the end of the stream.
 * @param options.reached the position that this process has reached: one that keeps it late has
 *   come further than the table says. Undefined while another replica reads, which measures its own
 */
export function watchLag(
  database: Database,
  { consumer, reached }: { readonly consumer: string; readonly reached: () => string | undefined },
): { stop(): void } {
  return watchRows<{ end: string; kept: string }>(database, {
    name: 'lag-gauges',
    text: `select coalesce((select max(position) from events.log), 0) as end,
             coalesce((select position from event_positions where consumer = $1), 0) as kept`,
    values: [consumer],
    read: ([row]) => {
      const ours = reached();
      if (ours === undefined) return [];
      const place = Math.max(Number(row?.kept ?? 0), Number(ours));
      return [{ metric: METRICS.streamLag, value: Math.max(0, Number(row?.end ?? 0) - place) }];
    },
  });
}
