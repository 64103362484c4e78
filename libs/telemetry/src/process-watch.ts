import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ATTRIBUTES, METRICS } from './names.js';
import type { Watch } from './watch.js';

const NS_PER_SECOND = 1_000_000_000;
const RESOLUTION_MS = 20;

/** Measures memory and event loop delay of this process. */
export function processWatch(process_: string): Watch & { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const memory = (kind: string, value: number) =>
    ({ metric: METRICS.processMemory, value, attributes: { [ATTRIBUTES.memory.name]: kind } }) as const;
  const lateness = (quantile: string, ns: number) =>
    ({
      metric: METRICS.eventLoopDelay,
      // The histogram counts the pause between two samples.
      value: Math.max(0, ns / NS_PER_SECOND - RESOLUTION_MS / 1_000),
      attributes: { [ATTRIBUTES.quantile.name]: quantile },
    }) as const;
  return {
    service: process_,
    look: async () => {
      const { rss, heapUsed, heapTotal } = process.memoryUsage();
      const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max];
      delay.reset();
      return [
        memory('rss', rss),
        memory('heap_used', heapUsed),
        memory('heap_total', heapTotal),
        lateness('0.5', p50),
        lateness('0.99', p99),
        lateness('1', max),
      ];
    },
    stop: () => delay.disable(),
  };
}
