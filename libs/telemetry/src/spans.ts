import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  trace,
} from '@opentelemetry/api';
import { activeTelemetry } from './active.js';
import { errorTypeOf } from './error-type.js';
import { type Attributes, ATTRIBUTES } from './names.js';
import { spanOf, traceparentOf } from './traceparent.js';

/** A span to be. */
export interface SpanStart {
  /** As SPANS says. */
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** Whose work it is; that of the span around it when omitted. */
  readonly service?: string | undefined;
  /** A `traceparent` from elsewhere: an empty one begins a trace. The active span when omitted. */
  readonly parent?: string | undefined;
  /** `traceparent`s of what else led to it. */
  readonly links?: readonly string[];
  readonly startTime?: TimeInput;
}

/** A span under way. */
export interface OpenSpan {
  readonly traceparent: string;
  /** Runs work whose spans are children of this one. */
  run<T>(work: () => T): T;
  /** Ends it; with an error type it counts as failed. Only the first end counts. */
  end(outcome?: { readonly errorType?: string | undefined; readonly attributes?: Attributes }): void;
}

const SERVICE = createContextKey('agentwallet.service');

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

const NO_SPAN: OpenSpan = { traceparent: '', run: (work) => work(), end: () => {} };

/** Reports whether tracing is on. */
export function isTracing(): boolean {
  return activeTelemetry()?.tracer !== undefined;
}

/** Reports whether there is a span around this work: small work is only recorded as a part of other work. */
export function isWithinSpan(): boolean {
  return isTracing() && trace.getActiveSpan() !== undefined;
}

/** Begins a span. Its caller must end it. Without tracing it costs nothing. */
export function startSpan(start: SpanStart): OpenSpan {
  const telemetry = activeTelemetry();
  if (!telemetry) return NO_SPAN;
  if (!telemetry.tracer) return { ...NO_SPAN, run: (work) => asService(start.service, work) };
  const around = contextAround(start.parent).setValue(SERVICE, start.service ?? currentService());
  const options = {
    kind: KINDS[start.kind ?? 'internal'],
    attributes: known(start.attributes),
    links: (start.links ?? []).flatMap(toLink),
    ...(start.startTime === undefined ? {} : { startTime: start.startTime }),
  };
  const span = telemetry.tracer.startSpan(start.name, options, around);
  const within = trace.setSpan(around, span);
  return {
    traceparent: traceparentOf(span.spanContext()),
    run: (work) => context.with(within, work),
    end: (outcome) => endSpan(span, outcome),
  };
}

/** Does work as a span. An error is recorded by its type and thrown on. */
export async function inSpan<T>(start: SpanStart, work: () => Promise<T>): Promise<T> {
  if (!isTracing()) return work();
  const span = startSpan(start);
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ errorType: errorTypeOf(error) });
    throw error;
  }
}

/** Does work of a service: spans and numbers in it are that service's. */
export function asService<T>(service: string | undefined, work: () => T): T {
  if (!activeTelemetry() || service === undefined) return work();
  return context.with(context.active().setValue(SERVICE, service), work);
}

/** Returns the service that this work belongs to; the process when that is unknown. */
export function currentService(): string {
  return serviceOf(context.active()) ?? activeTelemetry()?.process ?? 'none';
}

/** Returns the service that a context belongs to; undefined when it names none. */
export function serviceOf(context_: Context): string | undefined {
  return context_.getValue(SERVICE) as string | undefined;
}

/** Ids of the active span, for the log. */
export function currentSpanIds(): { readonly traceId: string; readonly spanId: string } | undefined {
  if (!isTracing()) return undefined;
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? { traceId: span.traceId, spanId: span.spanId } : undefined;
}

function contextAround(parent: string | undefined): Context {
  if (parent === undefined) return context.active();
  const span = spanOf(parent);
  return span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;
}

function endSpan(span: Span, outcome: Parameters<OpenSpan['end']>[0]): void {
  if (outcome?.attributes) span.setAttributes(known(outcome.attributes));
  if (outcome?.errorType !== undefined) {
    span.setAttribute(ATTRIBUTES.errorType.name, outcome.errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function toLink(traceparent: string): Link[] {
  const span = spanOf(traceparent);
  return span ? [{ context: span }] : [];
}

function known(attributes: Attributes = {}): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
