import { afterCommit, type Queryable } from '@agent-wallet/platform';

const relays = new WeakMap<Queryable, Set<() => void>>();

/**
 * Notifies the relay of a service in this process that rows were written to the outbox, once they are committed. Code that
 * writes rows by a statement of its own calls this afterwards; `Outbox.write` does it by itself.
 * @param on the pool or the transaction that they were written with
 */
export function outboxWritten(on: Queryable): void {
  afterCommit(on, wakeRelays);
}

function wakeRelays(pool: Queryable): void {
  relays.get(pool)?.forEach((wake) => wake());
}

/** Has a relay woken after every commit to the outbox that a pool's schema has. @returns what ends that */
export function onOutboxWritten(pool: Queryable, wake: () => void): () => void {
  const wakes = relays.get(pool) ?? new Set();
  relays.set(pool, wakes.add(wake));
  return () => void wakes.delete(wake);
}
