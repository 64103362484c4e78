import { ExchangeError } from '../rest/exchange-error.js';
import type { Page, PageRequest } from '../rest/paging.js';

/** A page of what is counted, the newest first; what is added between two pages shifts nothing. @throws ExchangeError */
export function newestPage<T extends { readonly seq: number }>(
  items: readonly T[],
  { limit, cursor }: PageRequest,
  keep: (item: T) => boolean,
): Page<T> {
  const before = cursor === undefined ? Infinity : Number(Buffer.from(cursor, 'base64url').toString());
  if (Number.isNaN(before)) throw new ExchangeError(400, 'bad_request', 'invalid cursor');
  const found = items.filter((item) => item.seq < before && keep(item)).reverse();
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)!.seq.toString() : '';
  return { items: page, cursor: Buffer.from(last).toString('base64url') };
}
