export { errorTypeOf } from './error-type.js';
export { count, type CounterMetric, type GaugeMetric, type HistogramMetric, isMetering, took } from './instruments.js';
export { type Attributes, ATTRIBUTES, type Metric, METRICS, SPANS } from './names.js';
export { callOf, outside } from './outside.js';
export { asService, currentService, currentSpanIds, describeSpan, inSpan, isTracing, isWithinSpan } from './spans.js';
export { type OpenSpan, type SpanStart, startSpan } from './spans.js';
export {
  type RunningTelemetry,
  SAMPLERS,
  startTelemetry,
  type TelemetryOptions,
  type TelemetrySettings,
} from './start-telemetry.js';
export { currentTraceparent, isSampled } from './traceparent.js';
export { type Reading, type Watch, watch } from './watches.js';
