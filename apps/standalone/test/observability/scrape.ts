import { METRICS, count, lasted, startTelemetry, watch } from '@agent-wallet/telemetry';
import { readPrometheus } from '../harness/prometheus.js';

/** Labels of each metric, by the names that Prometheus knows them by. */
export type Known = ReadonlyMap<string, ReadonlySet<string>>;

/** What Prometheus adds to everything that it scrapes. */
const TARGET = ['job', 'instance'];

/**
 * Tells every metric of the catalogue once, with all its labels, and scrapes that as Prometheus does. That services tell
 * them so is shown by marked-secrets.spec.ts.
 */
export async function scrapeEverything(): Promise<Known> {
  const running = await startTelemetry({
    service: 'gateway',
    settings: {
      metricsAddress: '127.0.0.1:0',
      sampler: 'always_off',
      samplerRatio: 0,
      spanDelayMs: 1_000,
      metricIntervalMs: 60_000,
    },
  });
  try {
    const all = Object.values(METRICS);
    const attributesOf = ({ labels }: { readonly labels: readonly string[] }) =>
      Object.fromEntries(labels.map((label) => [label, 'some']));
    const gauges = all.filter((metric) => metric.kind === 'gauge');
    const look = async () => gauges.map((metric) => ({ metric, value: 1, attributes: attributesOf(metric) }));
    watch({ service: 'gateway', look });
    for (const metric of all) {
      if (metric.kind === 'counter') count(metric, { attributes: attributesOf(metric) });
      if (metric.kind === 'histogram') lasted(metric, { seconds: 1, attributes: attributesOf(metric) });
    }
    const answer = await fetch(`http://${running.metricsAddress}/metrics`);
    const known = new Map<string, Set<string>>([['up', new Set(TARGET)]]);
    for (const { name, labels } of readPrometheus(await answer.text())) {
      known.set(name, new Set([...(known.get(name) ?? TARGET), ...Object.keys(labels)]));
    }
    return known;
  } finally {
    await running.stop();
  }
}
