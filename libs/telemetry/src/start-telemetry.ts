import type { RunningTelemetry, TelemetryOptions } from './telemetry-options.js';

const OFF: RunningTelemetry = { metricsAddress: undefined, stop: async () => {} };

/**
 * Starts to measure, once per process and before anything that is to be measured. Nothing is registered or even loaded
 * when neither a collector nor an address for metrics is given.
 * @throws Error when the address for metrics cannot be listened on
 */
export async function startTelemetry(options: TelemetryOptions): Promise<RunningTelemetry> {
  const { otlpEndpoint, metricsAddress } = options.settings;
  if (!otlpEndpoint && !metricsAddress) return OFF;
  // The SDK takes megabytes and a tenth of a second: only who wants it waits for it.
  const { startSdk } = await import('./sdk.js');
  return startSdk(options);
}
