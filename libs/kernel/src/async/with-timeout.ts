/**
 * What work resolves to, unless it takes longer. The work itself goes on, and what becomes of it later is ignored.
 * @throws DOMException `TimeoutError`, as `isTimeout` knows it, when it takes longer; what the work throws
 */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = () => new DOMException(`no answer within ${Math.round(timeoutMs)} ms`, 'TimeoutError');
    timer = setTimeout(() => reject(error()), Math.max(timeoutMs, 0));
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
