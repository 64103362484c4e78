import { METRICS, watch } from '@agent-wallet/telemetry';

/** Exports as a gauge how much of its places for streams of changes this process uses. */
export function watchStreams(streams: { readonly used: number }): { stop(): void } {
  const look = async () => [{ metric: METRICS.changeStreamsUsed, value: streams.used }];
  return watch({ service: 'gateway', look });
}
