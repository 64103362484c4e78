import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import { activeTelemetry } from './active.js';
import { currentService } from './spans.js';
import { ATTRIBUTES, type Attributes, type CounterMetric, type HistogramMetric } from './names.js';

const counters = new WeakMap<Meter, Map<string, Counter>>();
const histograms = new WeakMap<Meter, Map<string, Histogram>>();

/** Reports whether metrics are on; if not, the caller need not read the clock. */
export function isMetering(): boolean {
  return activeTelemetry()?.meter !== undefined;
}

/** Adds to a counter. */
export function count(metric: CounterMetric, of: Counted = {}): void {
  const meter = activeTelemetry()?.meter;
  if (!meter) return;
  const made = cached(counters, meter, metric.name, () =>
    meter.createCounter(metric.name, { unit: metric.unit, description: metric.help }),
  );
  made.add(of.by ?? 1, labelled(of.service ?? currentService(), of.attributes));
}

/** Options of a count. */
interface Counted {
  /** Service of the count; that of the surrounding work when omitted. */
  readonly service?: string | undefined;
  /** 1 when omitted. */
  readonly by?: number;
  readonly attributes?: Attributes;
}

/** Notes how long something took that began at `startedAtMs` of `performance.now()`. */
export function took(metric: HistogramMetric, { startedAtMs, ...of }: Noted & { readonly startedAtMs: number }): void {
  lasted(metric, { ...of, seconds: (performance.now() - startedAtMs) / 1_000 });
}

/** Notes how long something lasted; less than nothing, as by two clocks, counts as nothing. */
export function lasted(metric: HistogramMetric, of: Noted & { readonly seconds: number }): void {
  const meter = activeTelemetry()?.meter;
  if (!meter) return;
  const made = cached(histograms, meter, metric.name, () =>
    meter.createHistogram(metric.name, {
      unit: metric.unit,
      description: metric.help,
      advice: { explicitBucketBoundaries: [...metric.buckets] },
    }),
  );
  made.record(Math.max(0, of.seconds), labelled(of.service ?? currentService(), of.attributes));
}

/** Options of a duration. */
interface Noted {
  /** Service of the duration; that of the surrounding work when omitted. */
  readonly service?: string | undefined;
  readonly attributes?: Attributes;
}

function cached<Made>(all: WeakMap<Meter, Map<string, Made>>, meter: Meter, name: string, make: () => Made): Made {
  const made = all.get(meter) ?? new Map<string, Made>();
  all.set(meter, made);
  const instrument = made.get(name) ?? make();
  made.set(name, instrument);
  return instrument;
}

/** Labels with the service they are of; what is undefined is an empty label. */
export function labelled(service: string, attributes: Attributes = {}): Record<string, string | number> {
  const labels: Record<string, string | number> = { [ATTRIBUTES.service.name]: service };
  for (const [name, value] of Object.entries(attributes)) labels[name] = value ?? '';
  return labels;
}
