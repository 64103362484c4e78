import type { Scheduler, Secret } from '@agent-wallet/kernel';

/** The standard values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The options of telemetry at the start of a process. Absent addresses switch it off. */
export interface TelemetrySettings {
  /** Base URL of a collector that takes OTLP over HTTP as JSON; `/v1/traces` and `/v1/metrics` are appended. */
  readonly otlpEndpoint?: string | undefined;
  /** Headers for the collector. */
  readonly otlpHeaders?: Secret<Readonly<Record<string, string>>> | undefined;
  readonly sampler: (typeof SAMPLERS)[number];
  /** From 0 to 1: the part of traces that a ratio sampler keeps. */
  readonly samplerRatio: number;
  /** Time between two exports of spans, in milliseconds. */
  readonly spanDelayMs: number;
  /** Time between two exports of metrics, in milliseconds. */
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

/** Options of a process' telemetry. */
export interface TelemetryOptions {
  /** Name of the process: that of its service, where it runs one. */
  readonly service: string;
  readonly settings: TelemetrySettings;
  /** Called for errors of the collector, at most once a minute, by the type of the error alone. */
  readonly onTrouble?: (errorType: string, suppressed: number) => void;
  /** Measures the time that a stop may take; the machine's time when omitted. */
  readonly scheduler?: Scheduler | undefined;
}
