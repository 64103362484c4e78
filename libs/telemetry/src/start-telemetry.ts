import { context, metrics, propagation, type Tracer, trace, type TracerProvider } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { newId, type Secret } from '@agent-wallet/kernel';
import { setActiveTelemetry } from './active.js';
import { errorTypeOf } from './error-type.js';
import { type MetricsServer, serveMetrics } from './metrics-server.js';
import { processWatch } from './process-watch.js';
import { Watches } from './watches.js';

/** The standard values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** What telemetry is told at the start of a process. Absent addresses switch it off. */
export interface TelemetrySettings {
  /** Base URL of a collector that takes OTLP over HTTP as JSON; `/v1/traces` and `/v1/metrics` are appended. */
  readonly otlpEndpoint?: string | undefined;
  /** Headers for the collector. */
  readonly otlpHeaders?: Secret<Readonly<Record<string, string>>> | undefined;
  readonly sampler: (typeof SAMPLERS)[number];
  /** From 0 to 1: the part of traces that a ratio sampler keeps. */
  readonly samplerRatio: number;
  /** How long spans are collected before they are sent, in milliseconds. */
  readonly spanDelayMs: number;
  /** How often metrics are sent, in milliseconds. */
  readonly metricIntervalMs: number;
  /** `host:port` that serves Prometheus; port 0 takes a free one. */
  readonly metricsAddress?: string | undefined;
}

/** Telemetry of a process. */
export interface RunningTelemetry {
  /** `host:port` of `/metrics`; undefined when it is not served. */
  readonly metricsAddress: string | undefined;
  /** Sends what is left, for two seconds at most. Never rejects. */
  stop(): Promise<void>;
}

/** How a process measures itself. */
export interface TelemetryOptions {
  /** Name of the process: that of its service, where it runs one. */
  readonly service: string;
  readonly settings: TelemetrySettings;
  /** Told of trouble with the collector, at most once a minute, by the type of the error alone. */
  readonly onTrouble?: (errorType: string, suppressed: number) => void;
}

const STOP_WITHIN_MS = 2_000;
const TELL_EVERY_MS = 60_000;
const EXPORT_WITHIN_MS = 5_000;
const MAX_QUEUED_SPANS = 8_192;
const SPANS_PER_EXPORT = 512;

const OFF: RunningTelemetry = { metricsAddress: undefined, stop: async () => {} };

/**
 * Starts to measure, once per process and before anything that is to be measured. Nothing is registered, and nothing
 * costs anything, when neither a collector nor an address for metrics is given.
 * @throws Error when the address for metrics cannot be listened on
 */
export async function startTelemetry(options: TelemetryOptions): Promise<RunningTelemetry> {
  const { service, settings } = options;
  if (!settings.otlpEndpoint && !settings.metricsAddress) return OFF;
  tellTroubleRarely(options.onTrouble);
  const instance = { 'service.namespace': 'agent-wallet', 'service.instance.id': newId(), 'process.pid': process.pid };
  const tracing = settings.otlpEndpoint ? startTracing(settings, instance) : undefined;
  const metering = await startMetering(options, instance);
  const watches = new Watches(metering.meter);
  const own = processWatch(service);
  watches.add(own);
  setActiveTelemetry({ process: service, tracerOf: tracing?.tracerOf, meter: metering.meter, watches });
  const stop = async (): Promise<void> => {
    await within(STOP_WITHIN_MS, [() => tracing?.stop(), () => metering.stop()]);
    setActiveTelemetry(undefined);
    own.stop();
    for (const api of [trace, metrics, context, propagation]) api.disable();
  };
  let stopped: Promise<void> | undefined;
  return { metricsAddress: metering.address, stop: () => (stopped ??= stop()) };
}

type Instance = Readonly<Record<string, string | number>>;

/** Every service is a resource of its own, though several share the process, its queue and its connection. */
function startTracing(settings: TelemetrySettings, instance: Instance) {
  const exporter = new OTLPTraceExporter({ ...destination(settings, 'v1/traces'), concurrencyLimit: 2 });
  const processor: SpanProcessor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: SPANS_PER_EXPORT,
    scheduledDelayMillis: settings.spanDelayMs,
    exportTimeoutMillis: EXPORT_WITHIN_MS,
  });
  const sampler = samplerOf(settings);
  const tracers = new Map<string, Tracer>();
  const tracerOf = (service: string): Tracer => {
    let tracer = tracers.get(service);
    if (!tracer) {
      const resource = resourceFromAttributes({ ...instance, 'service.name': service });
      tracer = new BasicTracerProvider({ resource, sampler, spanProcessors: [processor] }).getTracer('agent-wallet');
      tracers.set(service, tracer);
    }
    return tracer;
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider: TracerProvider = { getTracer: (name) => tracerOf(name) };
  trace.setGlobalTracerProvider(provider);
  return { tracerOf, stop: () => processor.shutdown() };
}

async function startMetering({ service, settings }: TelemetryOptions, instance: Instance) {
  const readers: IMetricReader[] = [];
  let server: MetricsServer | undefined;
  if (settings.metricsAddress) {
    const prometheus = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
    server = await serveMetrics(settings.metricsAddress, prometheus);
    readers.push(prometheus);
  }
  if (settings.otlpEndpoint) {
    const exporter = new OTLPMetricExporter(destination(settings, 'v1/metrics'));
    readers.push(
      new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: settings.metricIntervalMs,
        exportTimeoutMillis: Math.min(EXPORT_WITHIN_MS, settings.metricIntervalMs),
      }),
    );
  }
  const resource = resourceFromAttributes({ ...instance, 'service.name': service });
  const provider = new MeterProvider({ resource, readers });
  metrics.setGlobalMeterProvider(provider);
  const stop = async (): Promise<void> => {
    await Promise.allSettled([server?.stop(), provider.shutdown()]);
  };
  return { meter: provider.getMeter('agent-wallet'), address: server?.address, stop };
}

function destination({ otlpEndpoint, otlpHeaders }: TelemetrySettings, path: string) {
  const url = `${(otlpEndpoint ?? '').replace(/\/+$/, '')}/${path}`;
  return { url, headers: { ...otlpHeaders?.reveal() }, timeoutMillis: EXPORT_WITHIN_MS };
}

function samplerOf({ sampler, samplerRatio }: TelemetrySettings): Sampler {
  const roots: Record<TelemetrySettings['sampler'], () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(samplerRatio),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) }),
  };
  return roots[sampler]();
}

/** A collector that is away fails every export: that is said once a minute. */
function tellTroubleRarely(onTrouble: TelemetryOptions['onTrouble']): void {
  let toldAtMs = -Infinity;
  let suppressed = 0;
  setGlobalErrorHandler((error) => {
    if (performance.now() - toldAtMs < TELL_EVERY_MS) {
      suppressed += 1;
      return;
    }
    toldAtMs = performance.now();
    onTrouble?.(errorTypeOf(error), suppressed);
    suppressed = 0;
  });
}

/** Does everything at once, and waits so long for it. */
async function within(ms: number, steps: ReadonlyArray<() => Promise<unknown> | undefined>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(steps.map(async (step) => step())), late]);
  clearTimeout(timer);
}
