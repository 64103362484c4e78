interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** Options for batching look-ups. */
interface MicroBatchOptions<Key, Value> {
  /** Looks the keys up in one call; the values are in the order of the keys. */
  readonly lookUp: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly maxKeys: number;
  /** Calls under way at once; what comes meanwhile waits and goes with the next. */
  readonly maxInFlight: number;
}

/**
 * Coalesces concurrent look-ups into few calls. A look-up is answered only by a call that began after it was asked
 * for, so nothing is ever older than without batching.
 */
export function microBatch<Key, Value>(options: MicroBatchOptions<Key, Value>): (key: Key) => Promise<Value> {
  const waiting = new Map<Key, Waiter<Value>[]>();
  let inFlight = 0;
  let isScheduled = false;

  const flush = async (): Promise<void> => {
    isScheduled = false;
    if (waiting.size === 0 || inFlight >= options.maxInFlight) return;
    const batch = takeFirst(waiting, options.maxKeys);
    inFlight += 1;
    schedule();
    try {
      const values = await options.lookUp(batch.map(([key]) => key));
      batch.forEach(([, waiters], i) => waiters.forEach(({ resolve }) => resolve(values[i]!)));
    } catch (error) {
      for (const [, waiters] of batch) waiters.forEach(({ reject }) => reject(error));
    } finally {
      inFlight -= 1;
      schedule();
    }
  };

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    // After the I/O events of this turn, so that look-ups made by several answered requests go together.
    setImmediate(() => void flush());
  };

  return (key) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(key) ?? [];
      waiters.push({ resolve, reject });
      waiting.set(key, waiters);
      schedule();
    });
}

function takeFirst<Key, Value>(entries: Map<Key, Value>, count: number): [Key, Value][] {
  const taken: [Key, Value][] = [];
  for (const entry of entries) {
    if (taken.length === count) break;
    taken.push(entry);
    entries.delete(entry[0]);
  }
  return taken;
}
