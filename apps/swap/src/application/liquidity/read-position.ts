import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import {
  associatedTokenAddress,
  type ChainAccount,
  type CpmmPool,
  isAddress,
  LAMPORTS_PER_SIGNATURE,
  MAX_SALT,
  type MintState,
  MOST_UNITS,
  type PriorityFees,
  readCpmmPool,
  readTokenAccount,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { unsupported } from './pool-worth.js';
import { isNative, type Token } from '../../domain/tokens.js';
import type { Unwrapped } from '../../domain/trade.js';
import type { LiquidityChain } from '../../ports/swap-chain.js';
import type { WalletDirectory } from '../../ports/wallet-directory.js';

/** Token account of the wallet. */
interface OwnAccount {
  /** Whether the account exists. */
  readonly hasAccount: boolean;
  /** Lamports at its address: anyone can send some before it exists. */
  readonly accountLamports: bigint;
}

/** One side of a pool, with what the wallet holds of it. */
export interface HeldSide extends OwnAccount {
  readonly token: Token;
  readonly mint: MintState;
  /** The wallet service's knowledge of the token. */
  readonly known: walletV1.GetTokenResponse;
  /** Base units; lamports of the wallet itself for the native coin. */
  readonly held: bigint;
  /** Whether the issuer has frozen the wallet's account; for the native coin, that of wrapped SOL. */
  readonly isFrozen: boolean;
}

/** A pool, and all that an agent's wallet holds of it. */
export interface Position {
  readonly wallet: string;
  readonly pool: CpmmPool;
  readonly sides: readonly [HeldSide, HeldSide];
  /** Lamports of the wallet itself. */
  readonly lamports: bigint;
  /** The least that a wallet may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
  /** The most that the message pays the network: its signature, and its place in a block. */
  readonly networkFeeLamports: bigint;
  /** Base units of liquidity tokens in the wallet's own account. */
  readonly liquidity: bigint;
  readonly liquidityAccount: OwnAccount;
  /** Wrapped SOL that closing its account turns into SOL; undefined without a native side, or without the account. */
  readonly wrapped: Unwrapped | undefined;
}

/** Sources of a position. */
export interface PositionSources {
  readonly wallets: WalletDirectory;
  readonly chain: LiquidityChain;
  readonly priority: PriorityFees;
}

/**
 * Reads a pool and what an agent's wallet holds of it.
 * @throws AppError POOL_NOT_SUPPORTED, NOT_FOUND for an agent without a wallet; RpcFailure
 */
export async function readPosition(sources: PositionSources, agentId: string, address: string): Promise<Position> {
  const { wallets, chain } = sources;
  const [{ address: wallet }, pool] = await Promise.all([
    known(wallets.getWallet({ agentId })),
    readCpmmPool(chain, address),
  ]);
  if (!isAddress(wallet)) throw new AppError('INTERNAL_ERROR', { cause: new Error('the wallet has no address') });
  if (!pool) throw unsupported(address, 'unknown_pool');
  const lp = { mint: pool.lpMint, tokenProgram: TOKEN_PROGRAM } as const;
  const addresses = [wallet, ...[lp, ...pool.sides].map((side) => associatedTokenAddress({ owner: wallet, ...side }))];
  const units = MOST_UNITS.liquidity + MAX_SALT;
  const [read, priorityLamports, minimumLamports, side0, side1] = await Promise.all([
    chain.accounts(addresses),
    sources.priority.lamportsFor({ accounts: [pool.address], units }),
    chain.rentExemptMinimumLamports(0),
    ...([0, 1] as const).map((side) => tokenOf(sources, { pool, side, agentId })),
  ] as const);
  const [own, liquidity, account0, account1] = read.accounts;
  const lamports = own?.lamports ?? 0n;
  const sides = [
    heldSide(side0!, account0, { wallet, lamports }),
    heldSide(side1!, account1, { wallet, lamports }),
  ] as const;
  const nativeSide = sides.findIndex(({ token }) => isNative(token));
  return {
    ...{ wallet, pool, sides, lamports, minimumLamports },
    networkFeeLamports: LAMPORTS_PER_SIGNATURE + priorityLamports,
    liquidity: unitsOf(liquidity, wallet),
    liquidityAccount: ownAccount(liquidity),
    wrapped: nativeSide < 0 ? undefined : wrappedSol([account0, account1][nativeSide]),
  };
}

type KnownSide = Pick<HeldSide, 'token' | 'mint' | 'known'>;

interface SideRequest {
  readonly pool: CpmmPool;
  readonly side: 0 | 1;
  readonly agentId: string;
}

async function tokenOf({ wallets, chain }: PositionSources, { pool, side, agentId }: SideRequest): Promise<KnownSide> {
  const { mint: address, decimals, tokenProgram } = pool.sides[side];
  const query = isNative({ mint: address }) ? 'SOL' : address;
  const [mint, token] = await Promise.all([chain.mintState(address), known(wallets.getToken({ query, agentId }))]);
  if (!mint || mint.tokenProgram !== tokenProgram || mint.decimals !== decimals) {
    throw unsupported(pool.address, 'unknown_pool');
  }
  return { token: { mint: address, symbol: token.symbol, decimals, tokenProgram }, mint, known: token };
}

function heldSide(
  side: KnownSide,
  account: ChainAccount | null | undefined,
  { wallet, lamports }: { readonly wallet: string; readonly lamports: bigint },
): HeldSide {
  const found = readTokenAccount(account);
  return {
    ...side,
    held: isNative(side.token) ? lamports : unitsOf(account, wallet),
    ...ownAccount(account),
    isFrozen: found?.isFrozen ?? false,
  };
}

function ownAccount(account: ChainAccount | null | undefined): OwnAccount {
  return { hasAccount: readTokenAccount(account) !== undefined, accountLamports: account?.lamports ?? 0n };
}

/** Returns the lamports that an account still needs in order to be made. */
export function rentFor({ hasAccount, accountLamports }: OwnAccount, rent: bigint): bigint {
  return hasAccount || accountLamports >= rent ? 0n : rent - accountLamports;
}

/** Counts what an account holds, if it is the wallet's own. */
function unitsOf(account: ChainAccount | null | undefined, wallet: string): bigint {
  const found = readTokenAccount(account);
  return found?.owner === wallet ? found.amount : 0n;
}

function wrappedSol(account: ChainAccount | null | undefined): Unwrapped | undefined {
  const found = readTokenAccount(account);
  return found && account ? { units: baseUnits(found.amount), lamports: baseUnits(account.lamports) } : undefined;
}

async function known<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw toAppError(error);
  });
}
