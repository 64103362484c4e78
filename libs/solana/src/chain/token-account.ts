import { addressOf } from '../addresses/address.js';
import { isTokenProgram, TOKEN_2022_PROGRAM } from '../addresses/programs.js';
import { ACCOUNT_TYPE_AT, readTokenExtensions, TOKEN_ACCOUNT_BYTES } from './read-token-extensions.js';
import type { ChainAccount, Mint } from './solana-chain.js';

/** The decoded state of a token account. */
export interface TokenAccount {
  readonly mint: string;
  /** The wallet that can spend from it: not always the one that its address was derived from. */
  readonly owner: string;
  readonly amount: bigint;
  readonly isFrozen: boolean;
  /** Whether the chain refuses transfers to it without a memo right before them. */
  readonly needsMemo: boolean;
  readonly hasDelegate: boolean;
  readonly hasCloseAuthority: boolean;
  /** The account's bytes except the balance and the extensions, in hex: its owner, and other authorities over it. */
  readonly terms: string;
}

const OWNER_AT = 32;
const AMOUNT_AT = 64;
const DELEGATE_AT = 72;
const STATE_AT = 108;
const CLOSE_AUTHORITY_AT = 129;
const STATE_INITIALIZED = 1;
const STATE_FROZEN = 2;
const ACCOUNT_TYPE_ACCOUNT = 2;
const MEMO_TRANSFER = 8;

/** Associated accounts of Token-2022 say what they are (1), and that their owner never changes (4). */
const TOKEN_2022_EXTRA_BYTES = 1 + 4;
/** Length of the extension that an account must have because of its mint: a header of 4 bytes and the value. */
const ACCOUNT_EXTENSION_BYTES: Readonly<Record<string, number>> = {
  transferFeeConfig: 4 + 8,
  nonTransferable: 4,
  transferHook: 4 + 1,
  pausable: 4,
};
/** For an extension that is not known yet: rather too much than too little. */
const UNKNOWN_EXTENSION_BYTES = 64;

/**
 * Reads an account as an initialized token account of either token program; undefined when it is none.
 * @throws ShapeError for extensions that the chain cannot have written
 */
export function readTokenAccount(account: ChainAccount | null | undefined): TokenAccount | undefined {
  if (!account || !isTokenProgram(account.owner)) return undefined;
  const data = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  if (!isTokenAccount(data, account.owner)) return undefined;
  const memoTransfer = readTokenExtensions(data).find(({ type }) => type === MEMO_TRANSFER);
  return {
    mint: addressOf(data.subarray(0, OWNER_AT)),
    owner: addressOf(data.subarray(OWNER_AT, AMOUNT_AT)),
    amount: data.readBigUInt64LE(AMOUNT_AT),
    isFrozen: data[STATE_AT] === STATE_FROZEN,
    needsMemo: memoTransfer?.value[0] === 1,
    hasDelegate: data.readUInt32LE(DELEGATE_AT) !== 0,
    hasCloseAuthority: data.readUInt32LE(CLOSE_AUTHORITY_AT) !== 0,
    terms: Buffer.concat([data.subarray(0, AMOUNT_AT), data.subarray(DELEGATE_AT, TOKEN_ACCOUNT_BYTES)]).toString(
      'hex',
    ),
  };
}

/** Reports whether data is a token account. Longer data is a multisig, or names its own type in Token-2022. */
function isTokenAccount(data: Buffer, program: string): boolean {
  const isWhole =
    data.length === TOKEN_ACCOUNT_BYTES ||
    (program === TOKEN_2022_PROGRAM && data[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_ACCOUNT);
  return isWhole && (data[STATE_AT] === STATE_INITIALIZED || data[STATE_AT] === STATE_FROZEN);
}

/** Bytes of a new associated token account of a mint. */
export function tokenAccountBytes({ tokenProgram, extensions }: Pick<Mint, 'tokenProgram' | 'extensions'>): number {
  if (tokenProgram !== TOKEN_2022_PROGRAM) return TOKEN_ACCOUNT_BYTES;
  const extra = extensions.map((name) =>
    name.startsWith('unknown:') ? UNKNOWN_EXTENSION_BYTES : (ACCOUNT_EXTENSION_BYTES[name] ?? 0),
  );
  return extra.reduce((sum, bytes) => sum + bytes, TOKEN_ACCOUNT_BYTES + TOKEN_2022_EXTRA_BYTES);
}
