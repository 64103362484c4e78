/** Usual size of a record of the exchange, in characters. */
const RECORD_CHARACTERS = 2_000;
/** Size of a value beside its characters. */
const VALUE_CHARACTERS = 16;

/** Returns a response's size in usual records: the exchange decides how large each record is. */
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
