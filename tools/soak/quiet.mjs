// When there is nothing left to do, by the product's own database.
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
const TIMEOUT_MS = 300_000;

const OPEN_WORK = {
  'outbox rows': `select (select count(*) from gateway.outbox) + (select count(*) from wallet.outbox)
    + (select count(*) from swap.outbox) + (select count(*) from prediction.outbox)
    + (select count(*) from policy.outbox)`,
  'operations with something left to do': `select (select count(*) from wallet.operations where due_at is not null)
    + (select count(*) from swap.operations where due_at is not null)
    + (select count(*) from prediction.operations where due_at is not null)`,
  'open reservations': `select count(*) from policy.reservations where state = 'open'`,
  'events that history has not read': `select (select coalesce(max(position), 0) from events.log)
    - (select coalesce(max(position), 0) from history.event_positions)`,
  'deposits without an end': `select count(*) from history.transactions where action = 'deposit' and status = 'pending'`,
};

/** Resolves when nothing is left to do, twice in a row. `query` reads the database as its superuser. */
export async function quiet(query) {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  for (let still = 0; still < 2;) {
    const open = [];
    for (const [name, text] of Object.entries(OPEN_WORK)) {
      const count = Number(Object.values((await query(text))[0])[0]);
      if (count > 0) open.push(`${count} ${name}`);
    }
    still = open.length === 0 ? still + 1 : 0;
    if (performance.now() > deadlineMs) throw new Error(`after five minutes there are still ${open.join(', ')}`);
    await sleep(POLL_MS * 5);
  }
}
