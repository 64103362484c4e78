/** Something that has a number in an order. */
export interface Numbered {
  readonly number: number;
}

/** Problems of an order. */
export interface Disorder<T> {
  /** The longest part that is in order. */
  readonly kept: readonly T[];
  /** Items in the wrong place, or duplicated. */
  readonly excluded: readonly T[];
  /** Numbers from the first to the last that nothing has. */
  readonly missing: readonly number[];
}

/** More are not listed one by one. */
const MAX_LISTED = 1_000;

/** Holds items, as they stand, against the numbers from `first` on. */
export function disorderOf<T extends Numbered>(items: readonly T[], first: number): Disorder<T> {
  const inRange = items.filter(({ number }) => number >= first);
  const kept = longestRising(inRange);
  const isKept = new Set(kept);
  const present = new Set(inRange.map(({ number }) => number));
  const missing: number[] = [];
  let due = first;
  for (const { number } of [...inRange].sort((a, b) => a.number - b.number)) {
    for (; due < number && missing.length < MAX_LISTED; due += 1) if (!present.has(due)) missing.push(due);
    due = Math.max(due, number + 1);
  }
  return { kept, excluded: items.filter((item) => !isKept.has(item)), missing };
}

/** Finds the longest subsequence whose numbers rise (patience sorting). */
function longestRising<T extends Numbered>(items: readonly T[]): T[] {
  const tails: number[] = [];
  const before = new Array<number>(items.length).fill(-1);
  items.forEach(({ number }, at) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (items[tails[middle]!]!.number < number) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[at] = tails[low - 1]!;
    tails[low] = at;
  });
  const rising: T[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) rising.push(items[at]!);
  return rising.reverse();
}
