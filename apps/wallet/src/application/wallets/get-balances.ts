import { AppError, LP_DECIMALS, type UsdMicros, valueInUsd, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { isKnown, type PriceResult, type UsdPrices } from '@agent-wallet/prices';
import { isLiquidityMint, type SolanaChain, type TokenHolding } from '@agent-wallet/solana';
import { NATIVE, type TokenRegistry } from '../../domain/token-registry.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { walletAddressOf } from '../operations/preparation.js';

/** A wallet's holding of one token. */
export interface Balance {
  /** Empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly amount: bigint;
  readonly decimals: number;
  /** Rounded down; undefined where no fresh price is known: never 0 for that. */
  readonly usdMicros: UsdMicros | undefined;
  /** Whether only a venue's program can mint it, so that it may be a share of a pool. */
  readonly isLiquidity: boolean;
  /** Whether the mint scales what wallets show of it: the amount by its decimals is another figure. */
  readonly isScaled: boolean;
}

/** All that a wallet holds. */
export interface Balances {
  readonly address: string;
  readonly sol: Balance;
  /** By value, then by mint. */
  readonly tokens: readonly Balance[];
  /** Sum of the known values. */
  readonly totalUsdMicros: bigint;
  /** Unix milliseconds of the oldest price used; undefined when none was. */
  readonly pricedAtMs: number | undefined;
}

type Prices = ReadonlyMap<string, PriceResult>;
type Amount = Omit<Balance, 'usdMicros' | 'isLiquidity'>;

/** Each token that has a price is listed. */
const MAX_LISTED = 1_000;
/** Two calls to the price API. Strangers can fill a wallet with worthless tokens. */
const MAX_PRICED = 100;

/**
 * Reads what a wallet holds: three calls to the chain and at most two for prices, however many tokens there are. The age
 * of the prices costs none while blocks are looked at for deposits; else one more, or two. Tokens without a name that may
 * be liquidity cost one call for each hundred of them.
 */
export class GetBalances {
  constructor(
    private readonly wallets: WalletStore,
    private readonly chain: Pick<SolanaChain, 'walletHoldings' | 'accounts'>,
    private readonly prices: UsdPrices,
    private readonly parts: { readonly registry: TokenRegistry; readonly logger: Logger },
  ) {}

  /** @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT of the chain */
  async execute(agentId: string): Promise<Balances> {
    const address = await walletAddressOf(this.wallets, agentId);
    const holdings = await this.chain.walletHoldings(address);
    this.#reportUnparsed(address, holdings.unparsed);
    const amounts = sumByMint(holdings.tokens, this.parts.registry);
    const prices = await this.#pricesOf(amounts.map(({ mint }) => mint));
    const sol = valued({ ...NATIVE, amount: holdings.lamports, isScaled: false }, prices);
    const listed = amounts.map((amount) => valued(amount, prices)).sort(byValueThenMint);
    const tokens = await this.#marked(listed.slice(0, MAX_LISTED));
    return {
      address,
      sol,
      tokens,
      totalUsdMicros: [sol, ...tokens].reduce((sum, { usdMicros }) => sum + (usdMicros ?? 0n), 0n),
      pricedAtMs: oldest([sol, ...tokens], prices),
    };
  }

  /** Marks tokens that only a venue's program can mint, with a market price of their own or without. */
  async #marked(tokens: readonly Balance[]): Promise<readonly Balance[]> {
    const candidates = tokens
      .filter(({ mint, decimals }) => decimals === LP_DECIMALS && !this.parts.registry.known(mint))
      .map(({ mint }) => mint);
    if (candidates.length === 0) return tokens;
    const { accounts } = await this.chain.accounts(candidates);
    const found = new Set(candidates.filter((mint, i) => isLiquidityMint(mint, accounts[i])));
    return tokens.map((token) => (found.has(token.mint) ? { ...token, isLiquidity: true } : token));
  }

  #reportUnparsed(wallet: string, accounts: readonly string[]): void {
    if (accounts.length === 0) return;
    this.parts.logger.warn(
      { event: 'balances.account_unparsed', wallet, accounts },
      'Balances returned without token accounts that the node cannot parse',
    );
  }

  /** Balances are worth showing without values. */
  async #pricesOf(mints: readonly string[]): Promise<Prices> {
    const knownFirst = [...mints].sort(
      (a, b) => Number(!this.parts.registry.known(a)) - Number(!this.parts.registry.known(b)),
    );
    const wanted = [...new Set([WRAPPED_SOL_MINT, ...knownFirst])].slice(0, MAX_PRICED);
    try {
      return await this.prices.prices(wanted, { isShown: true });
    } catch (err) {
      this.parts.logger.warn({ event: 'balances.pricing_failed', err }, 'Balances returned without USD values');
      return new Map();
    }
  }
}

function sumByMint(holdings: readonly TokenHolding[], registry: TokenRegistry): Amount[] {
  const sums = new Map<string, Amount>();
  for (const { mint, amount, decimals, isScaled } of holdings) {
    // By other decimals a balance would be another one.
    if ((registry.known(mint)?.decimals ?? decimals) !== decimals) {
      throw new AppError('UPSTREAM_ERROR', { cause: new Error(`the node gives ${mint} ${decimals} decimals`) });
    }
    const others = sums.get(mint);
    const sum = (others?.amount ?? 0n) + amount;
    // Of an account without a balance nothing shows.
    const isAnyScaled = isScaled || others?.isScaled === true;
    if (sum > 0n)
      sums.set(mint, { mint, symbol: registry.symbolOf(mint), amount: sum, decimals, isScaled: isAnyScaled });
  }
  return [...sums.values()];
}

const pricedMint = ({ mint }: Pick<Balance, 'mint'>): string => mint || WRAPPED_SOL_MINT;

function valued({ mint, symbol, amount, decimals, isScaled }: Amount, prices: Prices): Balance {
  const answer = prices.get(pricedMint({ mint }));
  // A price for other decimals is a price for something else; of a scaled token it is of the scaled unit.
  const isUsable = isKnown(answer) && answer.decimals === decimals && !isScaled;
  const usdMicros = isUsable ? valueOrNone(amount, { decimals, price: answer.price }) : undefined;
  return { mint, symbol, amount, decimals, usdMicros, isLiquidity: false, isScaled };
}

/** Returns the value of an amount; undefined when it is absurdly large. */
function valueOrNone(amount: bigint, token: Parameters<typeof valueInUsd>[1]): UsdMicros | undefined {
  try {
    return valueInUsd(amount, token, 'down');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function byValueThenMint(a: Balance, b: Balance): number {
  const [first, second] = [a.usdMicros ?? -1n, b.usdMicros ?? -1n];
  if (first !== second) return first > second ? -1 : 1;
  return a.mint < b.mint ? -1 : 1;
}

function oldest(balances: readonly Balance[], prices: Prices): number | undefined {
  const times = balances
    .filter(({ usdMicros }) => usdMicros !== undefined)
    .map((balance) => prices.get(pricedMint(balance)))
    .filter(isKnown)
    .map(({ pricedAtMs }) => pricedAtMs);
  return times.length > 0 ? Math.min(...times) : undefined;
}
