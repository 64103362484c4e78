import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { type IMetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { newId, once, waitAtMost } from '@agent-wallet/kernel';
import { setActiveTelemetry } from './active.js';
import { errorTypeOf } from './error-type.js';
import { type MetricsServer, serveMetrics } from './metrics-server.js';
import { GaugesAsFound, GaugesAsSent } from './metric-readers.js';
import { processWatch } from './process-watch.js';
import { ServiceResources } from './service-resources.js';
import type { RunningTelemetry, TelemetryOptions, TelemetrySettings } from './telemetry-options.js';
import { Watches } from './watches.js';

const SCOPE = 'agent-wallet';
const STOP_WITHIN_MS = 2_000;
const REPORT_EVERY_MS = 60_000;
const EXPORT_WITHIN_MS = 5_000;
const MAX_QUEUED_SPANS = 8_192;
const SPANS_PER_EXPORT = 512;

/** Registers what the settings ask for. @throws Error when the address for metrics cannot be listened on */
export async function startSdk(options: TelemetryOptions): Promise<RunningTelemetry> {
  const { service, settings } = options;
  reportTroubleRarely(options.onTrouble);
  const { readers, server } = await metricReaders(settings);
  const sdk = new NodeSDK({
    serviceName: service,
    resource: resourceFromAttributes({
      'service.namespace': 'agent-wallet',
      'service.instance.id': newId(),
      'process.pid': process.pid,
    }),
    // OTEL_RESOURCE_ATTRIBUTES alone. The process detector exports the command line, paths and the user; the host detector
    // exports the machine's id. Either may hold what must not leave the machine.
    resourceDetectors: [envDetector],
    sampler: samplerOf(settings),
    spanProcessors: settings.otlpEndpoint ? [new ServiceResources(service), exportingProcessor(settings)] : [],
    metricReaders: readers,
    // Baggage of strangers is not passed on.
    textMapPropagator: new W3CTraceContextPropagator(),
    // Without this the SDK would send logs, too.
    logRecordProcessors: [],
  });
  sdk.start();
  const meter = metrics.getMeter(SCOPE);
  const watches = new Watches(meter);
  const own = processWatch(service);
  watches.add(own);
  const tracer = settings.otlpEndpoint ? trace.getTracer(SCOPE) : undefined;
  setActiveTelemetry({ process: service, tracer, meter, watches });
  const stop = once(async (): Promise<void> => {
    await waitAtMost(STOP_WITHIN_MS, Promise.allSettled([sdk.shutdown(), server?.stop()]), options.scheduler);
    setActiveTelemetry(undefined);
    own.stop();
    for (const api of [trace, metrics, context, propagation]) api.disable();
  });
  return { metricsAddress: server?.address, stop };
}

/** Creates the span processor, whose queue and connection all services of the process share. */
function exportingProcessor(settings: TelemetrySettings): SpanProcessor {
  return new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ ...destination(settings, 'v1/traces'), concurrencyLimit: 2 }),
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: SPANS_PER_EXPORT,
    scheduledDelayMillis: settings.spanDelayMs,
    exportTimeoutMillis: EXPORT_WITHIN_MS,
  });
}

async function metricReaders(settings: TelemetrySettings) {
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
  return { readers, server };
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

/** Reports export errors at most once a minute, because every export fails while a collector is unavailable. */
function reportTroubleRarely(onTrouble: TelemetryOptions['onTrouble']): void {
  let reportedAtMs = -Infinity;
  let suppressed = 0;
  setGlobalErrorHandler((error) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) {
      suppressed += 1;
      return;
    }
    reportedAtMs = performance.now();
    onTrouble?.(errorTypeOf(error), suppressed);
    suppressed = 0;
  });
}
