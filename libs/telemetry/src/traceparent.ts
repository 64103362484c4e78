import { isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The active span as a W3C `traceparent`; empty when there is none. */
export function currentTraceparent(): string {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? traceparentOf(span) : '';
}

/** A span as a W3C `traceparent`; empty for one that is none. */
export function traceparentOf(span: SpanContext): string {
  if (!isSpanContextValid(span)) return '';
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The span that a `traceparent` names; undefined when the text is none. */
export function spanOf(traceparent: string): SpanContext | undefined {
  const parsed = traceparent === '' ? null : parseTraceParent(traceparent);
  return parsed ? { ...parsed, isRemote: true } : undefined;
}

/** Whether a `traceparent` says that its trace is kept. */
export function isSampled(traceparent: string): boolean {
  return ((spanOf(traceparent)?.traceFlags ?? 0) & 1) === 1;
}
