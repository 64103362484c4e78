// Events as services write them, in a file that Postgres can COPY.
import { auditV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const AGENTS = 1_000;
const STATES = ['PENDING', 'SUBMITTED', 'CONFIRMED'].map((name) => auditV1.OperationStatus[`OPERATION_STATUS_${name}`]);
const NOW_MS = 1_790_000_000_000n;
const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const SIGNATURE = '5'.repeat(88);

/** Returns a transfer's event with a fresh id. */
export function eventOf(agentId, operationId, { status, revision }) {
  const eventId = newId();
  const value = {
    ...{ operationId, revision, action: 'transfer', status, asset: 'USDC', amount: 12_500_000n, decimals: 6 },
    ...{ to: ADDRESS, signature: revision > 1 ? SIGNATURE : '', facts: undefined },
    createdAtMs: NOW_MS,
  };
  const payload = auditV1.AuditEvent.encode({
    ...{ eventId, agentId, occurredAtMs: NOW_MS, source: 'wallet', requestId: newId() },
    traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
    fact: { $case: 'operationChanged', value },
  });
  return { eventId, agentId, payload: Buffer.from(payload.finish()) };
}

/**
 * Writes so many to a file for `COPY … (event_id, agent_id, payload) FROM …`: transfers in three states each, of agents by
 * turns, so that no two events next to each other are of one agent.
 */
export async function writeBacklog(file, count) {
  const stream = createWriteStream(file, { mode: 0o644 });
  const agents = Array.from({ length: AGENTS }, newId);
  let operations;
  for (let i = 0; i < count; i += 1) {
    const [agent, n] = [i % AGENTS, Math.floor(i / AGENTS) % STATES.length];
    if (agent === 0 && n === 0) operations = agents.map(() => newId());
    const event = eventOf(agents[agent], operations[agent], { status: STATES[n], revision: n + 1 });
    const line = `${event.eventId}\t${event.agentId}\t\\\\x${event.payload.toString('hex')}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}
