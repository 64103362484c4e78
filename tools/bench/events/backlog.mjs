// Events as services write them, in a file that Postgres can COPY.
import { auditV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

const AGENTS = 1_000;
const STATES = ['PENDING', 'SUBMITTED', 'CONFIRMED'].map((name) => auditV1.OperationStatus[`OPERATION_STATUS_${name}`]);
const NOW_MS = 1_790_000_000_000n;
const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const SIGNATURE = '5'.repeat(88);

/** Of COPY's binary format: its signature with no flags, and its end. */
const COPY_SIGNATURE = Buffer.concat([
  Buffer.from('PGCOPY\n'),
  Buffer.from([0xff]),
  Buffer.from('\r\n\0'),
  Buffer.alloc(8),
]);
const COPY_END = Buffer.from([0xff, 0xff]);

/**
 * Events of transfers in three states each; agents take turns, so that no two events next to each other are of one agent.
 * Each is a record as a relay hands it over.
 */
export function* eventsOf(count) {
  const agents = Array.from({ length: AGENTS }, newId);
  let made = 0;
  for (;;) {
    const operations = agents.map(() => newId());
    for (const [n, status] of STATES.entries()) {
      for (const [i, agentId] of agents.entries()) {
        if (made === count) return;
        made += 1;
        yield eventOf(agentId, operations[i], { status, revision: n + 1 });
      }
    }
  }
}

function eventOf(agentId, operationId, { status, revision }) {
  const eventId = newId();
  const value = {
    ...{ operationId, revision, action: 'transfer', status, asset: 'USDC', amount: 12_500_000n, decimals: 6 },
    ...{ to: ADDRESS, signature: revision > 1 ? SIGNATURE : '', metadataJson: '{"feeMode":"added","memo":""}' },
    createdAtMs: NOW_MS,
  };
  const payload = auditV1.AuditEvent.encode({
    ...{ eventId, agentId, occurredAtMs: NOW_MS, source: 'wallet', requestId: newId() },
    traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
    fact: { $case: 'operationChanged', value },
  });
  return { eventId, agentId, payload: Buffer.from(payload.finish()) };
}

/** Writes so many to a file for `COPY … (event_id, agent_id, payload) FROM … (FORMAT binary)`; resolves to the first of them. */
export async function writeBacklog(file, { count, keep }) {
  const stream = createWriteStream(file, { mode: 0o644 });
  const kept = [];
  stream.write(COPY_SIGNATURE);
  for (const event of eventsOf(count)) {
    if (kept.length < keep) kept.push(event);
    if (!stream.write(tupleOf(event))) await once(stream, 'drain');
  }
  stream.end(COPY_END);
  await once(stream, 'finish');
  return kept;
}

function tupleOf({ eventId, agentId, payload }) {
  const fields = [uuid(eventId), uuid(agentId), payload];
  const parts = [Buffer.from([0, fields.length])];
  for (const field of fields) {
    const size = Buffer.alloc(4);
    size.writeInt32BE(field.length);
    parts.push(size, field);
  }
  return Buffer.concat(parts);
}

const uuid = (text) => Buffer.from(text.replaceAll('-', ''), 'hex');
