import { AppError, isUuid } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import { amountsToRemove, CPMM_AUTHORITY, readMint, type SolanaChain, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { KnownPools, PoolDirectory } from '../../ports/pool-directory.js';
import type { WalletDirectory } from '../../ports/wallet-directory.js';
import { type ReadPools, type ShownPool, valueOrUndefined } from './read-pools.js';

/** A share of a pool. */
export interface ShownPosition {
  readonly shown: ShownPool;
  /** Base units that a removal of all would pay, before fees of the mints. */
  readonly amounts: readonly [bigint, bigint];
  /** Base units of liquidity tokens. */
  readonly liquidity: bigint;
  /** Micro-dollars; undefined without prices. */
  readonly usdMicros: bigint | undefined;
}

/** Sources of positions. */
export interface PositionListSources {
  readonly wallets: WalletDirectory;
  readonly chain: Pick<SolanaChain, 'accounts' | 'walletHoldings'>;
  readonly known: KnownPools;
  readonly directory: PoolDirectory;
}

/** Lists the positions of wallets: liquidity tokens, by the pools that minted them. */
export class ListPositions {
  constructor(
    private readonly sources: PositionListSources,
    private readonly pools: ReadPools,
  ) {}

  /** @throws AppError NOT_FOUND for an agent without a wallet, UPSTREAM_ERROR, UPSTREAM_TIMEOUT */
  async execute(agentId: string): Promise<readonly ShownPosition[]> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    const held = await this.#liquidityTokens(agentId);
    const addresses = await this.#poolsOf([...held.keys()]);
    const shown = await this.pools.shown([...new Set(addresses.values())]);
    return shown
      .flatMap((pool) => {
        const liquidity = held.get(pool.pool.lpMint);
        return liquidity === undefined ? [] : [positionOf(pool, liquidity)];
      })
      .sort((one, other) => Number((other.usdMicros ?? 0n) - (one.usdMicros ?? 0n)));
  }

  /** Returns what the wallet's own accounts hold of mints that only the venue's program can mint. */
  async #liquidityTokens(agentId: string): Promise<ReadonlyMap<string, bigint>> {
    const { wallets, chain } = this.sources;
    const { address } = await wallets.getWallet({ agentId }).catch((error: unknown) => {
      throw toAppError(error);
    });
    const { tokens } = await chain.walletHoldings(address);
    const held = new Map<string, bigint>();
    for (const { mint, amount, tokenProgram } of tokens) {
      if (tokenProgram === TOKEN_PROGRAM && amount > 0n) held.set(mint, (held.get(mint) ?? 0n) + amount);
    }
    const mints = [...held.keys()];
    const { accounts } = mints.length === 0 ? { accounts: [] } : await chain.accounts(mints);
    mints.forEach((mint, i) => {
      const account = accounts[i];
      if (!account || readMint(mint, account)?.mintAuthority !== CPMM_AUTHORITY) held.delete(mint);
    });
    return held;
  }

  /** Finds pools by their liquidity mints: those known here, and others by the venue's list, while it answers. */
  async #poolsOf(lpMints: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { known, directory } = this.sources;
    if (lpMints.length === 0) return new Map();
    const found = await known.find(lpMints);
    const unknown = lpMints.filter((mint) => !found.has(mint));
    return new Map([...found, ...(await directory.byLpMint(unknown))]);
  }
}

function positionOf(shown: ShownPool, liquidity: bigint): ShownPosition {
  const { pool, prices } = shown;
  const usdMicros = prices && valueOrUndefined(liquidity, pool, prices);
  return { shown, amounts: amountsToRemove(liquidity, pool), liquidity, usdMicros };
}
