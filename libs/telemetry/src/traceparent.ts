import { isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';

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

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** The span that a `traceparent` names; undefined when the text is none. */
export function spanOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(span) ? span : undefined;
}

/** Whether a `traceparent` says that its trace is kept. */
export function isSampled(traceparent: string): boolean {
  return ((spanOf(traceparent)?.traceFlags ?? 0) & 1) === 1;
}
