/** Units that the program takes beside those for the text. */
const BASE = 20_000;

/*
 * Units per byte, by class, measured with spl_memo 3.0.0, which writes the memo into the log character by character: 358 for
 * printable ASCII, 981 for control characters, and up to 4,987 for others, because the program searches tables for whether
 * they can be printed.
 */
const PRINTABLE_ASCII = 400;
const CONTROL = 1_100;
const OTHER = 5_200;

/** Returns compute units that are enough for the memo program to take a memo of up to 256 bytes. */
export function memoUnits(memo: Uint8Array): number {
  return memo.reduce((units, byte) => units + unitsOfByte(byte), BASE);
}

function unitsOfByte(byte: number): number {
  if (byte > 0x7f) return OTHER;
  return byte >= 0x20 && byte < 0x7f ? PRINTABLE_ASCII : CONTROL;
}
