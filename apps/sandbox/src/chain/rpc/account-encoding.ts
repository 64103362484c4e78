import { RawJson } from '../../encoding/json.js';
import { encodeBase58 } from '../../encoding/base58.js';
import { type Key, keyText } from '../../encoding/keys.js';
import type { Account } from '../account.js';
import type { Config } from './call.js';
import { parseAccount } from './parsed-account.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

const BASE58_LIMIT_BYTES = 128;

/** Accounts are exempt from rent, which nodes write as the largest u64. */
const RENT_EPOCH = new RawJson('18446744073709551615');

type Encoding = 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed' | 'binary';

/** How an account's data is wanted. */
export interface AccountFormat {
  readonly encoding: Encoding;
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
}

/** Reads encoding and dataSlice of a call's settings. */
export function accountFormat(config: Config, otherwise: Encoding = 'binary'): AccountFormat {
  const encoding = (config['encoding'] ?? otherwise) as Encoding;
  if (!['base58', 'base64', 'jsonParsed', 'binary'].includes(encoding)) {
    throw invalidParams(`unknown variant \`${String(encoding)}\`, expected base58, base64 or jsonParsed`);
  }
  const slice = config['dataSlice'] as { offset?: unknown; length?: unknown } | undefined | null;
  if (!slice) return { encoding, slice: undefined };
  if (!isUnsigned(slice.offset) || !isUnsigned(slice.length))
    throw invalidParams('dataSlice: expected offset and length');
  return { encoding, slice: { offset: slice.offset, length: slice.length } };
}

/** An account as nodes write it; null when there is none. `find` reads the mint of a token account. */
export function encodeAccount(
  account: Account | undefined,
  { encoding, slice }: AccountFormat,
  find: (key: Key) => Account | undefined,
): Record<string, unknown> | null {
  if (!account) return null;
  return {
    data: (encoding === 'jsonParsed' && parseAccount(account, find)) || encodeData(account.data, encoding, slice),
    executable: account.executable,
    lamports: account.lamports,
    owner: keyText(account.owner),
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  };
}

/** Bytes as `[text, encoding]`, or as the bare base58 of old clients. */
function encodeData(data: Buffer, encoding: Encoding, slice: AccountFormat['slice']): unknown {
  const bytes = slice ? data.subarray(slice.offset, slice.offset + slice.length) : data;
  if (encoding === 'base64' || encoding === 'jsonParsed') return [bytes.toString('base64'), 'base64'];
  if (bytes.length > BASE58_LIMIT_BYTES) {
    if (encoding === 'binary') return 'error: data too large for bs58 encoding';
    const message = 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.';
    throw new RpcError(RpcCode.invalidRequest, message);
  }
  return encoding === 'binary' ? encodeBase58(bytes) : [encodeBase58(bytes), 'base58'];
}

function isUnsigned(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
