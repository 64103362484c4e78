import type { Amount } from '@agent-wallet/sdk';
import { UsageError } from './exit-codes.js';

/** Arguments of a command, as yargs has read them: all but flags are text. */
export type Args = Readonly<Record<string, unknown>>;

/** Returns an argument that the command always has. */
export function text(args: Args, name: string): string {
  const given = optionalText(args, name);
  if (given === undefined) throw new UsageError(`<${name}> is missing.`);
  return given;
}

/** Returns an argument; undefined when it is omitted. @throws UsageError when it is given twice */
export function optionalText(args: Args, name: string): string | undefined {
  const given = args[name];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || given === '') throw new UsageError(`--${name} takes one value.`);
  return given;
}

/** Reports whether a flag is set. */
export function flag(args: Args, name: string): boolean {
  return args[name] === true;
}

/** Returns an integer from 0; undefined when it is omitted. @throws UsageError */
export function optionalInteger(args: Args, name: string): number | undefined {
  const given = optionalText(args, name);
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new UsageError(`--${name} takes a whole number, not ${given}.`);
  return Number(given);
}

/** Returns how many entries a list shows at most. @throws UsageError */
export function limitOf(args: Args, otherwise: number): number {
  const limit = optionalInteger(args, 'limit') ?? otherwise;
  if (limit === 0) throw new UsageError('--limit takes a whole number from 1.');
  return limit;
}

/** Returns a number that has few digits, such as contracts or percent. @throws UsageError */
export function decimal(args: Args, name: string): number {
  return toDecimal(`<${name}>`, text(args, name));
}

/** Returns a number that has few digits, such as dollars; undefined when it is omitted. @throws UsageError */
export function optionalDecimal(args: Args, name: string): number | undefined {
  const given = optionalText(args, name);
  return given === undefined ? undefined : toDecimal(`--${name}`, given);
}

/** Reads a number that has few digits. @throws UsageError */
export function toDecimal(name: string, given: string): number {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(given)) throw new UsageError(`${name} takes a number, not ${given}.`);
  return Number(given);
}

/** Returns the values of an option that may be given several times; undefined when it is omitted. @throws UsageError */
export function optionalTexts(args: Args, name: string): string[] | undefined {
  const given = args[name];
  if (given === undefined) return undefined;
  return (Array.isArray(given) ? given : [given]).map((value: unknown) => {
    if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} takes a value.`);
    return value;
  });
}

/** Returns the amount: decimal text, or base units with `--raw`. @throws UsageError */
export function amountOf(args: Args): Amount {
  const given = text(args, 'amount');
  if (!flag(args, 'raw')) {
    if (!/^\d+(\.\d+)?$/.test(given)) throw new UsageError(`<amount> takes decimal text such as 1.5, not ${given}.`);
    return given;
  }
  if (!/^\d{1,30}$/.test(given)) throw new UsageError(`<amount> takes base units with --raw, not ${given}.`);
  return BigInt(given);
}

/** Returns one of a few words. @throws UsageError */
export function oneOf<Word extends string>(args: Args, name: string, words: readonly Word[]): Word {
  return toWord(`<${name}>`, text(args, name), words);
}

/** Reads one of a few words. @throws UsageError */
export function toWord<Word extends string>(name: string, given: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === given.toLowerCase());
  if (!found) throw new UsageError(`${name} takes ${words.join(', ')}, not ${given}.`);
  return found;
}

/** Copies an object without the fields that are undefined. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
