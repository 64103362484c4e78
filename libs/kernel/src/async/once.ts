/** Work that is done once: every call after the first gets the first call's result. */
export function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => (done ??= { result: work() }).result;
}
