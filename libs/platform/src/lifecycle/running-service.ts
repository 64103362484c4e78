/** Something that was started and can be stopped. */
export interface RunningService {
  /** Finishes what was accepted, then lets go of everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Stops several things one after the other, in the order given: each step, or its promise, is over before the next
 * begins. The first failure is thrown at the end.
 */
export async function stopInOrder(...steps: ReadonlyArray<() => unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
