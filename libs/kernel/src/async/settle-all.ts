/** Works through items, at most `limit` at once; each result is a value, or the reason why there is none. */
export async function settleAll<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const results: PromiseSettledResult<Result>[] = [];
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    for (const [i, item] of rest) [results[i]] = await Promise.allSettled([work(item)]);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
