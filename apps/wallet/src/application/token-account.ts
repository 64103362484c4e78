import { addressOf, type ChainAccount, isTokenProgram, readTokenExtensions } from '@agent-wallet/solana';

/** What a token account says of itself. */
export interface TokenAccount {
  readonly mint: string;
  /** The wallet that can spend from it: not always the one that its address was derived from. */
  readonly owner: string;
  readonly amount: bigint;
  readonly isFrozen: boolean;
  /** Whether the chain refuses transfers to it without a memo right before them. */
  readonly needsMemo: boolean;
}

const BYTES = 165;
const STATE_AT = 108;
const STATE_INITIALIZED = 1;
const STATE_FROZEN = 2;
const MEMO_TRANSFER = 8;

/** Reads an account as a token account; undefined when it is none. */
export function readTokenAccount(account: ChainAccount | null): TokenAccount | undefined {
  if (!account || !isTokenProgram(account.owner) || account.data.length < BYTES) return undefined;
  const data = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  const state = data[STATE_AT];
  if (state !== STATE_INITIALIZED && state !== STATE_FROZEN) return undefined;
  const memoTransfer = readTokenExtensions(data).find(({ type }) => type === MEMO_TRANSFER);
  return {
    mint: addressOf(data.subarray(0, 32)),
    owner: addressOf(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    isFrozen: state === STATE_FROZEN,
    needsMemo: memoTransfer?.value[0] === 1,
  };
}
