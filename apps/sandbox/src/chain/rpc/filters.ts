import { decodeBase58 } from '../../encoding/base58.js';
import { invalidParams } from './rpc-error.js';

/** A condition on an account's data. */
type Filter = { readonly dataSize: number } | { readonly offset: number; readonly bytes: Buffer };

const MOST_FILTERS = 4;

/** Reads the filters of getProgramAccounts. */
export function readFilters(putative: unknown): Filter[] {
  if (putative === undefined || putative === null) return [];
  if (!Array.isArray(putative) || putative.length > MOST_FILTERS)
    throw invalidParams(`filters: at most ${MOST_FILTERS}`);
  return putative.map(readFilter);
}

/** Whether data meets every filter. */
export function matchesFilters(data: Buffer, filters: readonly Filter[]): boolean {
  return filters.every((filter) => {
    if ('dataSize' in filter) return data.length === filter.dataSize;
    return data.subarray(filter.offset, filter.offset + filter.bytes.length).equals(filter.bytes);
  });
}

function readFilter(
  putative: { dataSize?: unknown; memcmp?: { offset?: unknown; bytes?: unknown; encoding?: unknown } } | null,
): Filter {
  if (typeof putative?.dataSize === 'number') return { dataSize: putative.dataSize };
  const { offset, bytes: text, encoding } = putative?.memcmp ?? {};
  if (typeof offset !== 'number' || typeof text !== 'string')
    throw invalidParams('filters: expected dataSize or memcmp');
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : decodeBase58(text);
  if (!bytes) throw invalidParams('filters: memcmp bytes are not base58');
  return { offset, bytes };
}
