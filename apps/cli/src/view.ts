import stringWidth from 'string-width';

/** Settings of results for people. */
export interface ViewOptions {
  /** Width of the terminal; undefined where stdout is none. */
  readonly columns?: number | undefined;
  /** Whether all digits of money and prices are shown. */
  readonly isRaw?: boolean;
  /** Time zone of times; this computer's when omitted. */
  readonly timeZone?: string | undefined;
}

export type Cell = string | number | boolean | null | undefined;

const PRICE_DIGITS = 6;
const SMALL_DIGITS = 2;
const FOLD_INDENT = '  ';

/** Writes results for people, in the width of their terminal and in their time zone. */
export class View {
  constructor(private readonly options: ViewOptions = {}) {}

  /**
   * Draws a table with aligned columns; those whose names begin with `>` are aligned to the right. Columns that do not fit into
   * the terminal go to a second line of their row, so that nothing is cut.
   */
  readonly table = (names: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string => {
    if (rows.length === 0) return empty;
    const lines = [names.map((name) => name.replace(/^>/, '')), ...rows.map((row) => row.map(shown))];
    const widths = names.map((_, n) => Math.max(...lines.map((line) => stringWidth(line[n] ?? ''))));
    const folds = foldsOf(widths, this.options.columns ?? Number.POSITIVE_INFINITY);
    const cellOf = (line: readonly string[], n: number) => padded(line[n] ?? '', widths[n]!, names[n]!.startsWith('>'));
    return lines
      .flatMap((line) =>
        folds.map(
          (fold, n) =>
            (n > 0 ? FOLD_INDENT : '') +
            fold
              .map((at) => cellOf(line, at))
              .join('  ')
              .trimEnd(),
        ),
      )
      .join('\n');
  };

  /** Writes an amount of dollars, to the cent; `-` for one that is not known. */
  readonly usd = (value: number | string | null | undefined): string => {
    const number = Number(value);
    if (value === null || value === undefined || value === '') return '-';
    if (this.options.isRaw || !Number.isFinite(number)) return `$${value}`;
    const isSmall = number !== 0 && Math.abs(number) < 0.01;
    const digits = isSmall ? { maximumSignificantDigits: SMALL_DIGITS } : { maximumFractionDigits: 2 };
    return number.toLocaleString('en-US', { style: 'currency', currency: 'USD', ...digits });
  };

  /** Writes a price, to six digits. */
  readonly price = (value: string): string => {
    const number = Number(value);
    if (this.options.isRaw || !Number.isFinite(number)) return value;
    return number.toLocaleString('en-US', { maximumSignificantDigits: PRICE_DIGITS, useGrouping: false });
  };

  /** Writes a time to the second: that of this computer, or of UTC with a `Z`. */
  readonly time = (text: string | null | undefined): string => {
    const date = new Date(text ?? '');
    if (Number.isNaN(date.getTime())) return text ?? '';
    const { timeZone } = this.options;
    // The format of Sweden is that of ISO 8601.
    return date.toLocaleString('sv-SE', { timeZone }) + (timeZone === 'UTC' ? 'Z' : '');
  };
}

/** Names and values, one line each; those without a value are left out. */
export type Entries = readonly (readonly [string, Cell])[];

/** Draws names and values, one pair a line; a value that is missing is left out. */
export function pairs(entries: Entries): string {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(0, ...given.map(([name]) => stringWidth(name)));
  return given.map(([name, value]) => `${padded(name, width)}  ${shown(value)}`).join('\n');
}

/** Writes base units as decimal text, to the last digit. */
export function exactAmount(raw: string, decimals: number): string {
  const [, sign = '', digits = '0'] = /^(-?)(\d+)$/.exec(raw) ?? [];
  const filled = digits.padStart(decimals + 1, '0');
  const whole = filled.slice(0, filled.length - decimals);
  const part = filled.slice(filled.length - decimals).replace(/0+$/, '');
  return sign + (part ? `${whole}.${part}` : whole);
}

/** Controls of a terminal, and of the direction of text. */
export const CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces what would steer the terminal: text of others, such as a token's symbol, is only read. */
export function plain(text: string): string {
  return text.replace(CONTROLS, '?');
}

/** Distributes columns over the lines of a row, each with as many as fit. */
function foldsOf(widths: readonly number[], most: number): number[][] {
  const folds: number[][] = [[]];
  let used = 0;
  for (const [n, width] of widths.entries()) {
    const fold = folds.at(-1)!;
    const gap = fold.length === 0 ? 0 : 2;
    if (gap > 0 && used + gap + width > most) {
      folds.push([n]);
      used = FOLD_INDENT.length + width;
    } else {
      fold.push(n);
      used += gap + width;
    }
  }
  return folds;
}

/** Fills a text up to a width in columns of the terminal, of which a character of East Asia takes two. */
function padded(text: string, width: number, isRight = false): string {
  const gap = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return isRight ? gap + text : text + gap;
}

function shown(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  return plain(String(cell));
}
