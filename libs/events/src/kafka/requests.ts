import type { Message } from 'kafkajs';

/** Well below the megabyte that a broker takes in one batch of a partition. */
const REQUEST_BYTES = 700_000;
const PER_RECORD_BYTES = 32;
const PER_HEADER_BYTES = 6;

/** Cuts messages into requests that brokers take, in their order. A message is never cut. */
export function requestsOf(messages: readonly Message[]): Message[][] {
  const requests: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const bytes = sizeOf(message);
    if (bytes > room || requests.length === 0) {
      requests.push([]);
      room = REQUEST_BYTES;
    }
    requests.at(-1)!.push(message);
    room -= bytes;
  }
  return requests;
}

/** Estimates the bytes on the wire, rounded up by a few. */
function sizeOf({ key, value, headers }: Message): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0) + PER_RECORD_BYTES;
  for (const [name, header] of Object.entries(headers ?? {})) {
    bytes += name.length + String(header).length + PER_HEADER_BYTES;
  }
  return bytes;
}
