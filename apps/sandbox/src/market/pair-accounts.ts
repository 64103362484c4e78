import { ExtensionType } from '@solana/spl-token';
import type { Account, AccountChange } from '../chain/account.js';
import { ASSOCIATED_TOKEN_PROGRAM, LOOKUP_TABLE_PROGRAM, NATIVE_MINT } from '../chain/programs.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/programs.js';
import { readExtensions, TOKEN_ACCOUNT_BYTES, tokenAccountBytes } from '../chain/token-layout.js';
import { ByteWriter } from '../encoding/bytes.js';
import { type Key, keyBytes } from '../encoding/keys.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import { rent, seededAccount } from '../tokens/token-accounts.js';
import { AGGREGATOR_PROGRAM, EVENT_AUTHORITY, PROGRAM_AUTHORITY } from './aggregator-program.js';
import type { Pair } from './pair.js';
import { derivedAddress, type Pool, poolBytes, type Reserves } from './pool.js';
import type { Venue } from './venues.js';

/** What each vault and the maker hold of every token, in base units: more than any pool promises. */
const STOCK_UNITS = 100_000_000_000_000_000n;

const TABLE_STATE = 1;
const NEVER = 2n ** 64n - 1n;
const ACCOUNT_TYPE_TOKEN = 2;

/** What a token-2022 mint's extensions ask of its accounts: the account's extension and its bytes. */
const ACCOUNT_EXTENSIONS = new Map<number, { readonly type: ExtensionType; readonly bytes: number }>([
  [ExtensionType.TransferFeeConfig, { type: ExtensionType.TransferFeeAmount, bytes: 8 }],
  [ExtensionType.NonTransferable, { type: ExtensionType.NonTransferableAccount, bytes: 0 }],
  [ExtensionType.TransferHook, { type: ExtensionType.TransferHookAccount, bytes: 1 }],
  [ExtensionType.PausableConfig, { type: ExtensionType.PausableAccount, bytes: 0 }],
]);

/** A token with its mint's account where it is one of token-2022's, whose accounts may have extensions. */
export interface MarketToken extends TokenInfo {
  readonly mintAccount?: Account | undefined;
}

/** The aggregator's own token account for a mint, over which tokens go that are neither input nor output. */
export function programAccountOf(mint: Key): Key {
  return derivedAddress('program', keyBytes(mint));
}

/** The market maker's token account for a mint. */
export function makerAccountOf(maker: Key, mint: Key): Key {
  return derivedAddress('maker', keyBytes(maker), keyBytes(mint));
}

/** What a token needs before it has a market: the program's and the maker's accounts. */
export function tokenAccounts(token: MarketToken, maker: Key): AccountChange[] {
  return [
    tokenAccount(programAccountOf(token.mint), token, PROGRAM_AUTHORITY, 0n),
    tokenAccount(makerAccountOf(maker, token.mint), token, maker, STOCK_UNITS),
  ];
}

/** A pair's pools at these reserves, their vaults and the lookup table. */
export function pairAccounts(
  { a, b, pools, table }: Pair & { readonly a: MarketToken; readonly b: MarketToken },
  reservesOf: (venue: Venue) => Reserves,
): AccountChange[] {
  const inPools = pools.flatMap((pool) => [
    poolAccount(pool, reservesOf(pool.venue)),
    tokenAccount(pool.vaultA, a, PROGRAM_AUTHORITY, STOCK_UNITS),
    tokenAccount(pool.vaultB, b, PROGRAM_AUTHORITY, STOCK_UNITS),
  ]);
  const programs = [PROGRAM_AUTHORITY, EVENT_AUTHORITY, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM];
  const tokens = [a.mint, b.mint, programAccountOf(a.mint), programAccountOf(b.mint)];
  const listed = [...programs, ...tokens, ...inPools.map(({ key }) => key)];
  return [...inPools, seededAccount(table, LOOKUP_TABLE_PROGRAM, tableBytes(listed))];
}

/** A pool's account at its target. */
export function poolAccount(pool: Pool, reserves: Reserves, target = reserves): AccountChange {
  return seededAccount(pool.address, AGGREGATOR_PROGRAM, poolBytes(pool, { reserves, target }));
}

/** A token account with everything its mint asks of it. */
export function tokenAccount(at: Key, token: MarketToken, owner: Key, units: bigint): AccountChange {
  const [mint, holder] = [token.mint, owner].map(keyBytes) as [Buffer, Buffer];
  if (token.mint === NATIVE_MINT) {
    const reserve = rent(TOKEN_ACCOUNT_BYTES);
    return seededAccount(at, TOKEN_PROGRAM, tokenAccountBytes(mint, holder, units, reserve), reserve + units);
  }
  const plain = tokenAccountBytes(mint, holder, units);
  if (token.program === 'token') return seededAccount(at, TOKEN_PROGRAM, plain);
  return seededAccount(at, TOKEN_2022_PROGRAM, Buffer.concat([plain, accountExtensions(token.mintAccount)]));
}

function accountExtensions(mint: Account | undefined): Buffer {
  const writer = new ByteWriter().u8(ACCOUNT_TYPE_TOKEN);
  let count = 0;
  for (const { type } of mint ? readExtensions(mint) : []) {
    const wanted = ACCOUNT_EXTENSIONS.get(type);
    if (!wanted) continue;
    writer.u16(wanted.type).u16(wanted.bytes).push(Buffer.alloc(wanted.bytes));
    count += 1;
  }
  return count === 0 ? Buffer.alloc(0) : writer.done();
}

/** A table that can no longer change. */
function tableBytes(addresses: readonly Key[]): Buffer {
  const writer = new ByteWriter().u32(TABLE_STATE).u64(NEVER).u64(0n).u8(0);
  // No authority: one byte that says so, and the room it would take.
  writer.u8(0).push(Buffer.alloc(34));
  for (const address of addresses) writer.push(keyBytes(address));
  return writer.done();
}
