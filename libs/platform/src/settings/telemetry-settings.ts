import { Secret } from '@agent-wallet/kernel';
import { SAMPLERS, type TelemetrySettings } from '@agent-wallet/telemetry';
import { z } from 'zod';
import type { Environment } from './environment.js';
import { setting } from './kinds.js';
import { readSettings } from './read-settings.js';

const RATIO = /^(0|1|0?\.\d{1,9}|1\.0{1,9})$/;
const HEADER = /^[\w-]+=[^,=\s][^,]*$/;

/** Parses `name=value` pairs separated by commas; values may be percent-encoded. */
function headersOf(text: string): Secret<Readonly<Record<string, string>>> {
  const pairs = text.split(',').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return [name, decodeURIComponent(value.join('='))] as const;
  });
  return new Secret(Object.fromEntries(pairs));
}

function areHeaders(text: string): boolean {
  return text.split(',').every((pair) => HEADER.test(pair.trim()) && isDecodable(pair));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the settings of telemetry, by OpenTelemetry's own names. @throws SettingsError */
export function telemetrySettings(environment?: Environment): TelemetrySettings {
  const env = readSettings(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: setting.url('http', 'https').optional(),
      OTEL_EXPORTER_OTLP_HEADERS: z
        .string()
        .refine(areHeaders, 'must be name=value pairs with commas between them')
        .transform(headersOf)
        .optional(),
      OTEL_TRACES_SAMPLER: z
        .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
        .default('parentbased_traceidratio'),
      OTEL_TRACES_SAMPLER_ARG: z.string().regex(RATIO, 'must be a ratio from 0 to 1').transform(Number).default(1),
      OTEL_BSP_SCHEDULE_DELAY: setting.integer({ min: 10, max: 60_000 }).default(1_000),
      OTEL_METRIC_EXPORT_INTERVAL: setting.integer({ min: 100, max: 3_600_000 }).default(60_000),
      METRICS_ADDRESS: setting.address().optional(),
      // The SDK reads it from the environment, and would serve /metrics without a single metric.
      OTEL_SDK_DISABLED: z
        .string()
        .refine(
          (text) => text.trim().toLowerCase() !== 'true',
          'must not be true: leave out METRICS_ADDRESS and OTEL_EXPORTER_OTLP_ENDPOINT to measure nothing',
        )
        .optional(),
    },
    environment,
  );
  return {
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    otlpHeaders: env.OTEL_EXPORTER_OTLP_HEADERS,
    sampler: env.OTEL_TRACES_SAMPLER,
    samplerRatio: env.OTEL_TRACES_SAMPLER_ARG,
    spanDelayMs: env.OTEL_BSP_SCHEDULE_DELAY,
    metricIntervalMs: env.OTEL_METRIC_EXPORT_INTERVAL,
    metricsAddress: env.METRICS_ADDRESS,
  };
}
