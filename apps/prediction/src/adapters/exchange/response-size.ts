/** What a record of the exchange usually has, in characters. */
const RECORD_CHARACTERS = 2_000;
/** What a value takes beside its characters. */
const VALUE_CHARACTERS = 16;

/** How many usual records take as much room as an answer: its size is the exchange's choice, however few its records. */
export function responseSize(answer: unknown): number {
  // No recursion: how deep it goes is the exchange's choice, too.
  const left: unknown[] = [answer];
  let characters = 0;
  while (left.length > 0) {
    const value = left.pop();
    characters += VALUE_CHARACTERS;
    if (typeof value === 'string') characters += value.length;
    else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) left.push(part);
  }
  return Math.ceil(characters / RECORD_CHARACTERS);
}
