import { isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';

/** Returns the active span as a W3C `traceparent`; empty when there is none. */
export function currentTraceparent(): string {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? traceparentOf(span) : '';
}

/** Returns a span as a W3C `traceparent`; empty for an invalid one. */
export function traceparentOf(span: SpanContext): string {
  if (!isSpanContextValid(span)) return '';
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Parses the span that a `traceparent` names; undefined for an invalid text. */
export function spanOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(span) ? span : undefined;
}

/** Reports whether a `traceparent` marks its trace as sampled. */
export function isSampled(traceparent: string): boolean {
  return ((spanOf(traceparent)?.traceFlags ?? 0) & 1) === 1;
}
