/** Prints one line. */
export type Print = (line: string) => void;

/** Formats JSON with indentation; a bigint becomes a decimal string. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2);
}
