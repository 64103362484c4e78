import { context, metrics, propagation, type Tracer, trace, type TracerProvider } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
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
import { newId } from '@agent-wallet/kernel';
import { setActiveTelemetry } from './active.js';
import { errorTypeOf } from './error-type.js';
import { type MetricsServer, serveMetrics } from './metrics-server.js';
import { GaugesAsFound, GaugesAsSent } from './metric-readers.js';
import { processWatch } from './process-watch.js';
import type { RunningTelemetry, TelemetryOptions, TelemetrySettings } from './telemetry-options.js';
import { Watches } from './watches.js';

const STOP_WITHIN_MS = 2_000;
const TELL_EVERY_MS = 60_000;
const EXPORT_WITHIN_MS = 5_000;
const MAX_QUEUED_SPANS = 8_192;
const SPANS_PER_EXPORT = 512;

/** Registers what the settings ask for. @throws Error when the address for metrics cannot be listened on */
export async function startSdk(options: TelemetryOptions): Promise<RunningTelemetry> {
  const { service, settings } = options;
  tellTroubleRarely(options.onTrouble);
  const instance = { 'service.namespace': 'agent-wallet', 'service.instance.id': newId(), 'process.pid': process.pid };
  const tracing = settings.otlpEndpoint ? startTracing(settings, instance) : undefined;
  const metering = await startMetering(options, instance);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
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
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider: TracerProvider = { getTracer: (name) => tracerOf(name) };
  trace.setGlobalTracerProvider(provider);
  return { tracerOf, stop: () => processor.shutdown() };
}

async function startMetering({ service, settings }: TelemetryOptions, instance: Instance) {
  const readers: IMetricReader[] = [];
  let server: MetricsServer | undefined;
  if (settings.metricsAddress) {
    const prometheus = new GaugesAsFound();
    server = await serveMetrics(settings.metricsAddress, prometheus);
    readers.push(prometheus);
  }
  if (settings.otlpEndpoint) {
    const exporter = new GaugesAsSent(destination(settings, 'v1/metrics'));
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
