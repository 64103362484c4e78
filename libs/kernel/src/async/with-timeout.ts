/**
 * Resolves to the result of the work, unless it takes longer. The work itself goes on, and its later result is ignored.
 * @param error for taking longer; without it a DOMException `TimeoutError`, as `isTimeout` knows it
 * @throws that error; what the work throws
 */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>, error?: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const timeout = () => new DOMException(`no answer within ${Math.round(timeoutMs)} ms`, 'TimeoutError');
    timer = setTimeout(() => reject((error ?? timeout)()), Math.max(timeoutMs, 0));
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until work has ended, but not longer than `limitMs`. @throws what the work throws */
export async function waitAtMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(limitMs, 0));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
