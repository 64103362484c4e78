import { type Database, watchRows } from '@agent-wallet/platform';
import { ATTRIBUTES, METRICS } from '@agent-wallet/telemetry';

const PLACES = ['treasury', 'exchange'] as const;

interface Row {
  /** By what was compared, in micro-dollars or contracts: see WatchLedger. */
  readonly unexplained: Readonly<Record<string, string>>;
  readonly is_stopped: boolean;
}

/** Exports as gauges the differences that the last reconciliation could not explain, and whether orders are stopped. */
export function watchComparison(database: Database): { stop(): void } {
  return watchRows<Row>(database, {
    name: 'comparison-gauges',
    text: `select unexplained, exists (select from order_halts where ended_at is null) as is_stopped
           from last_reconciliation`,
    read: ([row]) => {
      const unexplained = row?.unexplained ?? {};
      const positions = Object.keys(unexplained).filter((what) => what.startsWith('position:'));
      return [
        ...PLACES.map((place) => ({
          metric: METRICS.ledgerDiscrepancy,
          value: Number(unexplained[place] ?? 0) / 1_000_000,
          attributes: { [ATTRIBUTES.location.name]: place },
        })),
        { metric: METRICS.ledgerPositions, value: positions.length },
        { metric: METRICS.ordersHalted, value: row?.is_stopped ? 1 : 0 },
      ];
    },
  });
}
