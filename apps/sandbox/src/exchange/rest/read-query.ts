import { ExchangeError } from './exchange-error.js';

/** A parameter's text; an empty one is as if it were not there. */
export function textOf(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}

/** A whole number, also a negative one. @throws ExchangeError */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw invalid(`${name} must be an integer`);
  return Number(text);
}

/** Unix seconds as milliseconds. @throws ExchangeError */
export function secondsOf(query: URLSearchParams, name: string): number | undefined {
  const seconds = integerOf(query, name);
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** `true` or `false`; false when it is not there. @throws ExchangeError */
export function booleanOf(query: URLSearchParams, name: string): boolean {
  return oneOf(query, name, ['true', 'false']) === 'true';
}

/** One of a few words. @throws ExchangeError */
export function oneOf<T extends string>(query: URLSearchParams, name: string, words: readonly T[]): T | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw invalid(`${name} must be one of ${words.join(', ')}`);
  return word;
}

/** A list, separated by commas or by repeating the parameter; undefined when there is none. */
export function listOf(query: URLSearchParams, name: string): ReadonlySet<string> | undefined {
  const items = query.getAll(name).flatMap((text) => text.split(','));
  const given = items.filter((item) => item !== '');
  return given.length === 0 ? undefined : new Set(given);
}

/** A refusal of parameters. */
export function invalid(message: string): ExchangeError {
  return new ExchangeError(400, 'invalid_parameters', message);
}

/** A refusal of an unknown name. */
export function notFound(message: string): ExchangeError {
  return new ExchangeError(404, 'not_found', message);
}
