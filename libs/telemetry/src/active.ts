import type { Meter, Tracer } from '@opentelemetry/api';
import type { Watch } from './watch.js';

/** Telemetry that this process uses. */
interface ActiveTelemetry {
  /** Name of the process: what is measured outside every service belongs to it. */
  readonly process: string;
  /** Undefined when nothing is traced. */
  readonly tracer: Tracer | undefined;
  /** Undefined when there are no metrics. */
  readonly meter: Meter | undefined;
  readonly watches: { add(watch: Watch): { stop(): void } } | undefined;
}

let active: ActiveTelemetry | undefined;

/** Returns the active telemetry; undefined when it is off, which is the default. */
export function activeTelemetry(): ActiveTelemetry | undefined {
  return active;
}

/** Switches telemetry on, or off again. */
export function setActiveTelemetry(telemetry: ActiveTelemetry | undefined): void {
  active = telemetry;
}
