import type { ServiceName } from '@agent-wallet/platform';
import {
  asService,
  ATTRIBUTES,
  count,
  isSampled,
  isTracing,
  METRICS,
  type OpenSpan,
  SPANS,
  startSpan,
} from '@agent-wallet/telemetry';
import { envelopeOf } from '../envelope/envelope.js';
import type { EventRecord } from '../ports.js';

/** Hands a batch to the stream: every event whose trace is kept is a span of that trace. */
export async function publishMeasured(batch: readonly EventRecord[], publish: () => Promise<void>): Promise<void> {
  const spans = spansOf(batch, { name: SPANS.publish.name, kind: 'producer', operation: 'send' });
  try {
    await inFirstSpan(spans, publish);
    count(METRICS.eventsPublished, { by: batch.length });
    for (const span of spans) span.end();
  } catch (error) {
    count(METRICS.eventsPublishFailures);
    for (const span of spans) span.end({ errorType: 'not_published' });
    throw error;
  }
}

/** Handles a batch that was consumed, in the same way: what was done goes on in the trace that wrote the event. */
export function handleMeasured(
  service: ServiceName,
  batch: readonly EventRecord[],
  handle: () => Promise<void>,
): Promise<void> {
  return asService(service, async () => {
    const spans = spansOf(batch, { name: SPANS.record.name, kind: 'consumer', operation: 'process' });
    try {
      await inFirstSpan(spans, handle);
      count(METRICS.eventsConsumed, { by: batch.length });
      for (const span of spans) span.end();
    } catch (error) {
      for (const span of spans) span.end({ errorType: 'not_handled' });
      throw error;
    }
  });
}

/**
 * Runs the work in the first span. A batch is one piece of work: its statements are recorded in the first trace, and
 * the others link to it.
 */
function inFirstSpan(spans: readonly OpenSpan[], work: () => Promise<void>): Promise<void> {
  return spans[0] ? spans[0].run(work) : work();
}

function spansOf(
  batch: readonly EventRecord[],
  {
    name,
    kind,
    operation,
  }: { readonly name: string; readonly kind: 'producer' | 'consumer'; readonly operation: string },
): OpenSpan[] {
  if (!isTracing()) return [];
  const spans: OpenSpan[] = [];
  for (const record of batch) {
    const { type, traceparent = '' } = envelopeOf(record);
    if (!isSampled(traceparent)) continue;
    const attributes = {
      [ATTRIBUTES.messagingOperation.name]: operation,
      [ATTRIBUTES.messageId.name]: record.eventId,
      [ATTRIBUTES.eventType.name]: type,
      [ATTRIBUTES.agentId.name]: record.agentId,
      [ATTRIBUTES.eventCount.name]: batch.length,
    };
    const links = spans[0] ? [spans[0].traceparent] : [];
    spans.push(startSpan({ name, kind, parent: traceparent, links, attributes }));
  }
  return spans;
}
