import { LP_DECIMALS } from '@agent-wallet/kernel';
import { addressOf } from '../addresses/address.js';
import { isTokenProgram, type TokenProgram } from '../addresses/programs.js';
import type { ChainAccount, SolanaChain } from '../chain/solana-chain.js';
import { readTokenAccount } from '../chain/token-account.js';
import { CPMM_AUTHORITY, CPMM_PROGRAM, cpmmAddresses } from './cpmm-addresses.js';
import type { CpmmState } from './cpmm-maths.js';

/** A side of a pool: one of its two tokens. */
export interface CpmmSide {
  /** Base58. */
  readonly mint: string;
  readonly tokenProgram: TokenProgram;
  readonly decimals: number;
}

/** A pool as it is on chain, proved to stand at its own address with its own vaults. */
export interface CpmmPool extends CpmmState {
  /** Base58. */
  readonly address: string;
  readonly config: string;
  /** Base58 address of the mint of its liquidity tokens. */
  readonly lpMint: string;
  readonly sides: readonly [CpmmSide, CpmmSide];
  readonly isDepositOpen: boolean;
  readonly isWithdrawalOpen: boolean;
  readonly isSwapOpen: boolean;
  /** Unix seconds from which it may be traded in. */
  readonly openTimeSeconds: bigint;
  /** The share that a swap costs, in millionths. */
  readonly tradeFeeRate: bigint;
  /** The slot at which it was read. */
  readonly slot: number;
}

/** The discriminators and lengths of the program's accounts. */
const POOL = { bytes: 637, discriminator: 'f7ede3f5d7c3de46' };
const CONFIG = { bytes: 236, discriminator: 'daf42168cbcb2b6f' };

const CONFIG_AT = 8;
const VAULTS_AT = [72, 104] as const;
const LP_MINT_AT = 136;
const MINTS_AT = [168, 200] as const;
const TOKEN_PROGRAMS_AT = [232, 264] as const;
const STATUS_AT = 329;
const LP_DECIMALS_AT = 330;
const DECIMALS_AT = [331, 332] as const;
const LP_SUPPLY_AT = 333;
/** Fees in the vaults that belong to others: the protocol's, the fund's, the creator's. */
const FEES_AT = [
  [341, 357, 397],
  [349, 365, 405],
] as const;
const OPEN_TIME_AT = 373;
const TRADE_FEE_AT = 12;

const DEPOSIT_OFF = 1;
const WITHDRAWAL_OFF = 2;
const SWAP_OFF = 4;

/** Reads accounts. */
type Accounts = Pick<SolanaChain, 'accounts'>;

/** The facts that a pool's own account states. */
interface PoolAccount {
  readonly config: string;
  readonly vaults: readonly [string, string];
  readonly lpMint: string;
  readonly sides: readonly [CpmmSide, CpmmSide];
  readonly lpSupply: bigint;
  readonly fees: readonly [bigint, bigint];
  readonly status: number;
  readonly openTimeSeconds: bigint;
}

/**
 * Reads a pool from the chain: first its account, then that again with config and vaults, all of one slot. Undefined when
 * no such pool lives at the address: an account of another program, of another kind, or at an address that does not derive
 * from its mints and its config.
 * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
 */
export async function readCpmmPool(chain: Accounts, address: string): Promise<CpmmPool | undefined> {
  const [pool] = await readCpmmPools(chain, [address]);
  return pool;
}

/** Reads several pools, as `readCpmmPool` reads one. */
export async function readCpmmPools(
  chain: Accounts,
  addresses: readonly string[],
): Promise<Array<CpmmPool | undefined>> {
  if (addresses.length === 0) return [];
  const first = await chain.accounts([...addresses]);
  const known = addresses.map((address, i) => derivedPool(address, first.accounts[i] ?? null));
  const needed = [...new Set(known.flatMap((pool, i) => (pool ? [addresses[i]!, pool.config, ...pool.vaults] : [])))];
  if (needed.length === 0) return addresses.map(() => undefined);
  const { accounts, slot } = await chain.accounts(needed);
  const byAddress = new Map(needed.map((each, i) => [each, accounts[i] ?? null]));
  return addresses.map((address, i) => known[i] && poolOf(address, byAddress, slot));
}

/** Reads a pool's account, if its address and its accounts are those that derive from its mints and its config. */
function derivedPool(address: string, account: ChainAccount | null): PoolAccount | undefined {
  const pool = poolAccount(account);
  if (!pool) return undefined;
  const { config, sides } = pool;
  const derived = cpmmAddresses({ config, mints: [sides[0].mint, sides[1].mint] });
  const isOwn =
    derived.pool === address &&
    derived.lpMint === pool.lpMint &&
    derived.vaults.every((vault, i) => vault === pool.vaults[i]);
  return isOwn ? pool : undefined;
}

function poolOf(
  address: string,
  accounts: ReadonlyMap<string, ChainAccount | null>,
  slot: number,
): CpmmPool | undefined {
  const pool = derivedPool(address, accounts.get(address) ?? null);
  if (!pool) return undefined;
  const tradeFeeRate = tradeFeeOf(accounts.get(pool.config) ?? null);
  const reserves = pool.vaults.map((vault, i) => {
    const held = readTokenAccount(accounts.get(vault));
    if (!held || held.owner !== CPMM_AUTHORITY || held.mint !== pool.sides[i]!.mint) return undefined;
    const reserve = held.amount - pool.fees[i]!;
    return reserve > 0n ? reserve : undefined;
  });
  const [reserve0, reserve1] = reserves;
  if (tradeFeeRate === undefined || !reserve0 || !reserve1 || pool.lpSupply === 0n) return undefined;
  const { config, lpMint, sides, lpSupply, status, openTimeSeconds } = pool;
  return {
    address,
    config,
    lpMint,
    sides,
    lpSupply,
    reserves: [reserve0, reserve1],
    isDepositOpen: (status & DEPOSIT_OFF) === 0,
    isWithdrawalOpen: (status & WITHDRAWAL_OFF) === 0,
    isSwapOpen: (status & SWAP_OFF) === 0,
    openTimeSeconds,
    tradeFeeRate,
    slot,
  };
}

/** Returns the bytes of an account of the program's, if it is of this kind. */
function programData(
  account: ChainAccount | null,
  { bytes, discriminator }: { readonly bytes: number; readonly discriminator: string },
): Buffer | undefined {
  if (account?.owner !== CPMM_PROGRAM || account.data.length !== bytes) return undefined;
  const data = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  return data.toString('hex', 0, 8) === discriminator ? data : undefined;
}

function poolAccount(account: ChainAccount | null): PoolAccount | undefined {
  const data = programData(account, POOL);
  if (!data || data[LP_DECIMALS_AT] !== LP_DECIMALS) return undefined;
  const address = (at: number) => addressOf(data.subarray(at, at + 32));
  const side = (i: 0 | 1): CpmmSide | undefined => {
    const tokenProgram = address(TOKEN_PROGRAMS_AT[i]);
    if (!isTokenProgram(tokenProgram)) return undefined;
    return { mint: address(MINTS_AT[i]), tokenProgram, decimals: data.readUInt8(DECIMALS_AT[i]) };
  };
  const fees = (i: 0 | 1) => FEES_AT[i].reduce((sum, at) => sum + data.readBigUInt64LE(at), 0n);
  const [side0, side1] = [side(0), side(1)];
  if (!side0 || !side1) return undefined;
  return {
    config: address(CONFIG_AT),
    vaults: [address(VAULTS_AT[0]), address(VAULTS_AT[1])],
    lpMint: address(LP_MINT_AT),
    sides: [side0, side1],
    lpSupply: data.readBigUInt64LE(LP_SUPPLY_AT),
    fees: [fees(0), fees(1)],
    status: data.readUInt8(STATUS_AT),
    openTimeSeconds: data.readBigUInt64LE(OPEN_TIME_AT),
  };
}

function tradeFeeOf(account: ChainAccount | null): bigint | undefined {
  return programData(account, CONFIG)?.readBigUInt64LE(TRADE_FEE_AT);
}
