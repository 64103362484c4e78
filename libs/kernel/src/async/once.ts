/** Returns a function that does the work once: every later call gets the first call's result. */
export function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => (done ??= { result: work() }).result;
}
