import { ExchangeError } from './exchange-error.js';

/** A list as it is paged: in a fixed order, each item with a key of its own. */
interface Paged<T> {
  readonly items: Iterable<T>;
  readonly keyOf: (item: T) => string;
  readonly keep: (item: T) => boolean;
}

/** What a caller asks of a page. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** One page; the cursor is empty at the end. */
export interface Page<T> {
  readonly items: T[];
  readonly cursor: string;
}

/**
 * Goes on behind the item the cursor names, in the whole list, so that items that leave the filter between two pages
 * shift nothing. @throws ExchangeError for a cursor that names nothing
 */
export function pageOf<T>({ items, keyOf, keep }: Paged<T>, { limit, cursor }: PageRequest): Page<T> {
  const from = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  let isBehind = from === undefined;
  const page: T[] = [];
  for (const item of items) {
    if (!isBehind) isBehind = keyOf(item) === from;
    else if (keep(item)) {
      if (page.length === limit) return { items: page, cursor: Buffer.from(keyOf(page.at(-1)!)).toString('base64url') };
      page.push(item);
    }
  }
  if (!isBehind) throw new ExchangeError(400, 'bad_request', 'invalid cursor');
  return { items: page, cursor: '' };
}

/** Reads `limit` and `cursor`. @throws ExchangeError for a limit outside 1 … `most` */
export function pageRequest(query: URLSearchParams, { normal, most, name = 'limit' }: PageLimits): PageRequest {
  const limit = query.get(name);
  const read = limit === null || limit === '' ? normal : Number(limit);
  if (!Number.isInteger(read) || read < 1 || read > most) {
    throw new ExchangeError(400, 'invalid_parameters', `${name} must be between 1 and ${most}`);
  }
  return { limit: read, cursor: query.get('cursor') || undefined };
}

interface PageLimits {
  readonly normal: number;
  readonly most: number;
  /** The parameter's name, where it is another one. */
  readonly name?: string;
}
