import { addressOf, type ChainAccount, isTokenProgram } from '@agent-wallet/solana';

/** What a token account says of itself. */
export interface TokenAccount {
  readonly mint: string;
  /** The wallet that can spend from it: not always the one that its address was derived from. */
  readonly owner: string;
  readonly amount: bigint;
  readonly isFrozen: boolean;
  readonly hasDelegate: boolean;
  readonly hasCloseAuthority: boolean;
  /** Everything but the balance, in hex: whose it is, and who else may do something with it. */
  readonly terms: string;
}

const BYTES = 165;
const STATE_AT = 108;
const STATE_INITIALIZED = 1;
const STATE_FROZEN = 2;
const AMOUNT_AT = 64;
const AMOUNT_END = 72;
const DELEGATE_AT = 72;
const CLOSE_AUTHORITY_AT = 129;

/** Reads an account as a token account; undefined when it is none. */
export function readTokenAccount(account: ChainAccount | null | undefined): TokenAccount | undefined {
  if (!account || !isTokenProgram(account.owner) || account.data.length < BYTES) return undefined;
  const data = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  const state = data[STATE_AT];
  if (state !== STATE_INITIALIZED && state !== STATE_FROZEN) return undefined;
  return {
    mint: addressOf(data.subarray(0, 32)),
    owner: addressOf(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(AMOUNT_AT),
    isFrozen: state === STATE_FROZEN,
    hasDelegate: data.readUInt32LE(DELEGATE_AT) !== 0,
    hasCloseAuthority: data.readUInt32LE(CLOSE_AUTHORITY_AT) !== 0,
    terms: Buffer.concat([data.subarray(0, AMOUNT_AT), data.subarray(AMOUNT_END, BYTES)]).toString('hex'),
  };
}
