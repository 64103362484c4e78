import { assertUuid, LP_DECIMALS } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import {
  amountsToRemove,
  associatedTokenAddress,
  isLiquidityMint,
  type SolanaChain,
  TOKEN_PROGRAM,
  type TokenHolding,
} from '@agent-wallet/solana';
import type { KnownPools } from '../../ports/pool-directory.js';
import type { WalletDirectory } from '../../ports/wallet-directory.js';
import type { FindPools } from './find-pools.js';
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
interface PositionListSources {
  readonly wallets: WalletDirectory;
  readonly chain: Pick<SolanaChain, 'accounts' | 'walletHoldings'>;
  readonly known: KnownPools;
  readonly finder: FindPools;
}

/** Positions in a list: anyone can send a wallet liquidity tokens. */
const MAX_LISTED = 1_000;

/** Lists the positions of wallets: liquidity tokens, by the pools that minted them. */
export class ListPositions {
  constructor(
    private readonly sources: PositionListSources,
    private readonly pools: ReadPools,
  ) {}

  /** @throws AppError NOT_FOUND for an agent without a wallet, UPSTREAM_ERROR, UPSTREAM_TIMEOUT */
  async execute(agentId: string): Promise<readonly ShownPosition[]> {
    assertUuid('agentId', agentId);
    const held = await this.#liquidityTokens(agentId);
    const { known, listed } = await this.sources.finder.byLpMint([...held.keys()]);
    const shown = await this.pools.shown([...new Set([...known.values(), ...listed.values()])]);
    const positions = shown.flatMap((pool) => {
      const liquidity = held.get(pool.pool.lpMint);
      return liquidity === undefined ? [] : [positionOf(pool, liquidity)];
    });
    // Read from the chain: from here on the venue is not asked for them.
    const learned = positions.map(({ shown: { pool } }) => pool).filter(({ lpMint }) => listed.has(lpMint));
    await Promise.all(learned.map(({ lpMint, address }) => this.sources.known.remember(lpMint, address)));
    const byValue = positions.sort((one, other) => Number((other.usdMicros ?? 0n) - (one.usdMicros ?? 0n)));
    return byValue.slice(0, MAX_LISTED);
  }

  /**
   * Returns what the wallet's associated accounts hold of mints that only the venue's program can mint. A removal takes
   * from them alone, so that what a stranger put into another account does not belong to a position.
   */
  async #liquidityTokens(agentId: string): Promise<ReadonlyMap<string, bigint>> {
    const { wallets, chain } = this.sources;
    const { address } = await wallets.getWallet({ agentId }).catch((error: unknown) => {
      throw toAppError(error);
    });
    const candidates = (await chain.walletHoldings(address)).tokens.filter(mayBeLiquidity);
    const mints = [...new Set(candidates.map(({ mint }) => mint))];
    const { accounts } = mints.length === 0 ? { accounts: [] } : await chain.accounts(mints);
    const ofVenue = new Set(mints.filter((mint, i) => isLiquidityMint(mint, accounts[i])));
    const own = ({ mint }: TokenHolding) =>
      associatedTokenAddress({ owner: address, mint, tokenProgram: TOKEN_PROGRAM });
    const held = candidates.filter((holding) => ofVenue.has(holding.mint) && holding.account === own(holding));
    return new Map(held.map(({ mint, amount }) => [mint, amount]));
  }
}

function mayBeLiquidity({ tokenProgram, amount, decimals }: TokenHolding): boolean {
  return tokenProgram === TOKEN_PROGRAM && amount > 0n && decimals === LP_DECIMALS;
}

function positionOf(shown: ShownPool, liquidity: bigint): ShownPosition {
  const { pool, prices } = shown;
  const usdMicros = prices && valueOrUndefined(liquidity, pool, prices);
  return { shown, amounts: amountsToRemove(liquidity, pool), liquidity, usdMicros };
}
