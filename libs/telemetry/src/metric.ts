/** Kind of a metric. */
type MetricKind = 'counter' | 'histogram' | 'gauge';

/** One metric. */
export interface Metric {
  /** OpenTelemetry's form; Prometheus shows it with underscores, and a counter with `_total`. */
  readonly name: string;
  readonly kind: MetricKind;
  /** UCUM: `s`, `By`, `{event}`. */
  readonly unit: string;
  readonly help: string;
  /** Its labels besides the service's. Each has few values, known beforehand. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}
