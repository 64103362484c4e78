import { type Key, keyAt } from '../encoding/keys.js';
import type { Account } from './account.js';
import { isTokenProgram } from './programs.js';

/** Where the token programs keep things; the same for both, token-2022 appends its extensions. */
const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;
const ACCOUNT_TYPE_AT = 165;
const ACCOUNT_TYPE_MINT = 1;
const ACCOUNT_TYPE_TOKEN = 2;

/** A token account's fields. */
interface TokenAccount {
  readonly mint: Key;
  readonly owner: Key;
  readonly amount: bigint;
  readonly delegate: Key | undefined;
  readonly delegatedAmount: bigint;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
  /** Rent held back when the account wraps SOL; undefined when it does not. */
  readonly nativeReserve: bigint | undefined;
  readonly closeAuthority: Key | undefined;
}

/** A mint's fields. */
interface Mint {
  readonly mintAuthority: Key | undefined;
  readonly supply: bigint;
  readonly decimals: number;
  readonly initialized: boolean;
  readonly freezeAuthority: Key | undefined;
}

/** One extension of a token-2022 account or mint: its number and its bytes. */
export interface Extension {
  readonly type: number;
  readonly value: Buffer;
}

/** Whether this is a token account of either program. */
export function isTokenAccount(account: Account | undefined): account is Account {
  if (!account || !isTokenProgram(account.owner)) return false;
  const { data } = account;
  const whole = data.length === TOKEN_ACCOUNT_BYTES || data[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_TOKEN;
  return data.length >= TOKEN_ACCOUNT_BYTES && data[108] !== 0 && whole;
}

/** Whether this is a mint of either program. */
export function isMint(account: Account | undefined): account is Account {
  if (!account || !isTokenProgram(account.owner)) return false;
  const { data } = account;
  const whole =
    data.length === MINT_BYTES || (data.length > ACCOUNT_TYPE_AT && data[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_MINT);
  return whole && data[45] === 1;
}

/** Who owns a token account. Only for accounts that are one. */
export function tokenOwner(account: Account): Key {
  return keyAt(account.data, 32);
}

/** The mint of a token account. Only for accounts that are one. */
export function tokenMint(account: Account): Key {
  return keyAt(account.data, 0);
}

/** The balance of a token account in base units. Only for accounts that are one. */
export function tokenAmount(account: Account): bigint {
  return account.data.readBigUInt64LE(64);
}

/** Reads a token account. Only for accounts that are one. */
export function readTokenAccount({ data }: Account): TokenAccount {
  const state = (['uninitialized', 'initialized', 'frozen'] as const)[data[108]!] ?? 'uninitialized';
  return {
    mint: keyAt(data, 0),
    owner: keyAt(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKey(data, 72),
    delegatedAmount: data.readBigUInt64LE(121),
    state,
    nativeReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : undefined,
    closeAuthority: optionalKey(data, 129),
  };
}

/** Reads a mint. Only for accounts that are one. */
export function readMint({ data }: Account): Mint {
  return {
    mintAuthority: optionalKey(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44]!,
    initialized: data[45] === 1,
    freezeAuthority: optionalKey(data, 46),
  };
}

/** The token-2022 extensions behind the account type; none for plain accounts. */
export function readExtensions({ data }: Account): Extension[] {
  const found: Extension[] = [];
  for (let at = ACCOUNT_TYPE_AT + 1; at + 4 <= data.length;) {
    const type = data.readUInt16LE(at);
    const length = data.readUInt16LE(at + 2);
    if (type === 0 || at + 4 + length > data.length) break;
    found.push({ type, value: data.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
  }
  return found;
}

/** Bytes of a plain mint, for seeding one at a given address. */
export function mintBytes(mint: {
  authority: Buffer;
  freezeAuthority?: Buffer;
  supply: bigint;
  decimals: number;
}): Buffer {
  const data = Buffer.alloc(MINT_BYTES);
  data.writeUInt32LE(1, 0);
  mint.authority.copy(data, 4);
  data.writeBigUInt64LE(mint.supply, 36);
  data[44] = mint.decimals;
  data[45] = 1;
  if (mint.freezeAuthority) {
    data.writeUInt32LE(1, 46);
    mint.freezeAuthority.copy(data, 50);
  }
  return data;
}

/** Bytes of a plain token account, for seeding one. `nativeReserve`: it wraps SOL and keeps that much back. */
export function tokenAccountBytes(mint: Buffer, owner: Buffer, amount: bigint, nativeReserve?: bigint): Buffer {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
  mint.copy(data, 0);
  owner.copy(data, 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  if (nativeReserve !== undefined) {
    data.writeUInt32LE(1, 109);
    data.writeBigUInt64LE(nativeReserve, 113);
  }
  return data;
}

/** The programs' COption<Pubkey>: a u32 that says whether there is one, then the key. */
function optionalKey(data: Buffer, at: number): Key | undefined {
  return data.readUInt32LE(at) === 1 ? keyAt(data, at + 4) : undefined;
}
