/** What work resolves to, unless it takes longer. The work itself goes on. @throws Error when it takes longer */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new Error(`no answer from Kafka within ${Math.round(limitMs)} ms`));
    timer = setTimeout(give, Math.max(limitMs, 0));
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
