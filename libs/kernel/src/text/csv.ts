/** A value of a cell; null and undefined leave it empty. */
export type CsvCell = string | number | null | undefined;

/** First characters that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes rows as CSV (RFC 4180). A cell that a spreadsheet would execute gets an apostrophe in front. */
export function writeCsv(rows: ReadonlyArray<readonly CsvCell[]>): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: CsvCell): string {
  const text = String(value ?? '');
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
