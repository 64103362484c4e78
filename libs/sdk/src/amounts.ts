/**
 * An amount: decimal text in the token's standard unit (`'64.1'`), or a bigint of base units (`64_100_000n`). A number is
 * none, because most decimal fractions have no exact double.
 */
export type Amount = string | bigint;

const DECIMAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Decimal text, written into JSON as the number that it is, digit by digit. */
class ExactNumber {
  constructor(readonly text: string) {}
}

/**
 * Takes decimal text as a number that keeps its digits.
 * @throws TypeError for anything else
 */
export function exactNumber(text: string, name: string): ExactNumber {
  if (typeof text !== 'string' || !DECIMAL.test(text)) {
    throw new TypeError(`${name} must be decimal text such as '64.1', not ${describe(text)}`);
  }
  return new ExactNumber(text);
}

/** Returns the field of a request for an amount: `name` for decimal text, `nameRaw` for base units. */
export function amountField(name: string, amount: Amount | undefined): Record<string, unknown> {
  if (amount === undefined) return {};
  if (typeof amount !== 'bigint') return { [name]: exactNumber(amount, name) };
  if (amount <= 0n) throw new TypeError(`${name} must be greater than 0`);
  return { [`${name}Raw`]: amount.toString() };
}

/** Writes a body as JSON: exact numbers by their digits, a bigint as an integer, undefined fields not at all. */
export function writeBody(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeBody).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${writeBody(part)}`).join(',')}}`;
}

function describe(value: unknown): string {
  return typeof value === 'number' ? `the number ${value}: write '${value}'` : JSON.stringify(value);
}
