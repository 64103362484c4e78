import type { BatchObservableCallback, Meter, ObservableGauge } from '@opentelemetry/api';
import { withTimeout } from '@agent-wallet/kernel';
import { activeTelemetry } from './active.js';
import { count, labelled } from './instruments.js';
import { METRICS } from './names.js';
import type { Reading, Watch } from './watch.js';

const KEEP_MS = 5_000;
/** The longest that a scrape waits for a poll. */
const READ_WITHIN_MS = 1_000;

interface Kept {
  readonly watch: Watch;
  readings: readonly Reading[];
  polledAtMs: number;
  looking: Promise<void> | undefined;
}

/** Polls for this process' gauges. A failed poll makes only its own gauges absent. */
export class Watches {
  readonly #kept = new Set<Kept>();
  readonly #gauges = new Map<string, ObservableGauge>();

  constructor(meter: Meter) {
    const metrics = Object.values(METRICS).filter((metric) => metric.kind === 'gauge');
    for (const { name, unit, help } of metrics) {
      this.#gauges.set(name, meter.createObservableGauge(name, { unit, description: help }));
    }
    meter.addBatchObservableCallback((result) => this.#observe(result), [...this.#gauges.values()]);
  }

  add(watch: Watch): { stop(): void } {
    const kept: Kept = { watch, readings: [], polledAtMs: -Infinity, looking: undefined };
    this.#kept.add(kept);
    return { stop: () => this.#kept.delete(kept) };
  }

  async #observe(result: Parameters<BatchObservableCallback>[0]): Promise<void> {
    await Promise.all([...this.#kept].map(refresh));
    for (const { readings, watch } of this.#kept) {
      for (const { metric, value, attributes } of readings) {
        const gauge = this.#gauges.get(metric.name);
        if (gauge) result.observe(gauge, value, labelled(watch.service, attributes));
      }
    }
  }
}

/** Polls again when the last poll is old. Never rejects, and takes no longer than a poll may. */
async function refresh(kept: Kept): Promise<void> {
  if (performance.now() - kept.polledAtMs < (kept.watch.keepMs ?? KEEP_MS)) return;
  kept.looking ??= look(kept).finally(() => (kept.looking = undefined));
  await withTimeout(READ_WITHIN_MS, kept.looking).catch(() => fail(kept));
}

async function look(kept: Kept): Promise<void> {
  try {
    kept.readings = await kept.watch.look();
  } catch {
    fail(kept);
  }
  kept.polledAtMs = performance.now();
}

function fail(kept: Kept): void {
  kept.readings = [];
  count(METRICS.gaugeFailures, { service: kept.watch.service });
}

/** Looks at something whenever metrics are asked for, until stopped. Without metrics nothing is ever looked at. */
export function watch(watched: Watch): { stop(): void } {
  return activeTelemetry()?.watches?.add(watched) ?? { stop: () => {} };
}
