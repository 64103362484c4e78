const MOST = 3;
/** Longer texts are no slip of the keyboard, and comparing them would take time. */
const MAX_LENGTH = 64;

/** Returns the names that a text may be a misspelling of, the likeliest first; at most 3. */
export function closest(text: string, names: readonly string[]): readonly string[] {
  if (text.length === 0 || text.length > MAX_LENGTH) return [];
  const wanted = plain(text);
  return names
    .filter((name) => Math.abs(plain(name).length - wanted.length) <= tolerated(name))
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .filter(({ name, distance }) => distance <= tolerated(name))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** Removes case and separators, which are spelling and not a difference. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[_\-\s]/g, '');
}

/** Returns the tolerated errors: one in a short name, two in a longer one. */
function tolerated(name: string): number {
  return name.length < 6 ? 1 : 2;
}

/** Computes the Levenshtein distance; swapped neighbours count once. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const [above, before] = [rows[i - 1]!, rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        ...[above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isSame ? 0 : 1)],
        isSwapped ? before![j - 2]! + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
