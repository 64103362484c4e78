// A service that commits events at a steady rate, with its relay; or a bare producer at the same rate. Tells, once it is
// done, when each event was there to be seen.
import { createOutbox, openEventPublisher, startRelay } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import { createKafkaPublisher } from '../../../libs/events/dist/kafka/kafka-publisher.js';
import { openLoop } from '../measure/load.mjs';
import { eventsOf } from './backlog.mjs';
import { logger, nowMs, readTask, ready } from './part.mjs';

const { database, stream, ratePerSecond, isBare } = readTask('wallet');
const rounds = isBare ? bareWriter() : outboxWriter();
for (;;) {
  const { durationMs } = await ready();
  const { write, told } = await rounds;
  told.clear();
  await openLoop({ ratePerSecond, durationMs, call: write });
  process.send({ atMs: [...told] });
}

/** `told`: `Map(event id → ms)`, from the answer to its commit. */
async function outboxWriter() {
  startRelay(database, openEventPublisher(stream, { database, source: 'wallet', logger }), logger);
  const outbox = createOutbox('wallet', systemClock);
  const told = new Map();
  const agents = Array.from({ length: 100 }, newId);
  let turn = 0;
  const write = async () => {
    const agentId = agents[(turn += 1) % agents.length];
    const fact = { $case: 'sessionStarted', value: { sessionId: newId(), expiresAtMs: 1n } };
    const { rows } = await database.transaction(async (tx) => {
      await outbox.write(tx, agentId, fact);
      return tx.query({ name: 'written', text: 'select event_id from outbox where id = lastval()' });
    });
    told.set(rows[0].event_id, nowMs());
  };
  return { write, told };
}

/** From the moment an event is there to be sent: one request is in flight, the next takes what has come meanwhile. */
async function bareWriter() {
  const publisher = createKafkaPublisher(stream, { role: 'bare', logger, onRetry: () => {} });
  const told = new Map();
  const waiting = [];
  const events = eventsOf(Infinity);
  let isSending = false;
  const send = async () => {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) await publisher.publish(waiting.splice(0));
    isSending = false;
  };
  const write = async () => {
    const { value: event } = events.next();
    told.set(event.eventId, nowMs());
    waiting.push(event);
    await send();
  };
  return { write, told };
}
