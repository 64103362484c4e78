import { isSpanContextValid, trace } from '@opentelemetry/api';

/** The active span as a W3C `traceparent`; empty when there is none. */
export function currentTraceparent(): string {
  const span = trace.getActiveSpan()?.spanContext();
  if (!span || !isSpanContextValid(span)) return '';
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}
