import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { envelopeOf } from '../envelope/envelope.js';
import type { EventRecord } from '../ports.js';

/** A version 4 or 7 UUID, or any other, in the form that Postgres prints. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Converts an event to a message: CloudEvents 1.0, binary content mode of the Kafka binding. The key decides the
 * partition, so all events of an agent are in one partition, in their order.
 */
export function toMessage(event: EventRecord): Message {
  const { traceparent, ...attributes } = envelopeOf(event);
  const headers: IHeaders = { 'content-type': 'application/protobuf', ce_specversion: '1.0' };
  for (const [name, value] of Object.entries(attributes)) headers[`ce_${name}`] = value;
  if (traceparent) headers['traceparent'] = traceparent;
  return { key: event.agentId, value: asBuffer(event.payload), headers };
}

/** Reads the event in a message, or returns the reason why it contains none. */
export function fromMessage({ key, value, headers }: KafkaMessage): EventRecord | { readonly problem: string } {
  const eventId = String(headers?.['ce_id'] ?? '');
  const agentId = String(key ?? '');
  if (!UUID.test(eventId)) return { problem: eventId === '' ? 'no header ce_id' : 'the header ce_id is not a UUID' };
  if (!UUID.test(agentId)) return { problem: agentId === '' ? 'no key' : 'the key is not a UUID' };
  if (!value || value.length === 0) return { problem: 'no value' };
  return { eventId, agentId, payload: value };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
