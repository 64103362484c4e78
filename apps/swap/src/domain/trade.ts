import {
  AppError,
  type BalanceChange,
  type BaseUnits,
  baseUnits,
  type RequestedAmount,
  mintNamed,
  SOL_DECIMALS,
  sumByMint,
  unknownToken,
} from '@agent-wallet/kernel';
import type { TokenWarning } from './token-warnings.js';
import { isNative, NATIVE_MINT, type Token } from './tokens.js';

/** Bounds of a trade's fairness, by which policy judges it. */
export interface Tolerance {
  /** Most that the trade may lose against market prices, slippage apart, in basis points; absent for policy's bound. */
  readonly maxPriceImpactBps?: number;
  /** Whether an output without a price is accepted. */
  readonly allowUnpricedOutput: boolean;
}

/** A trade as the caller wrote it. */
export interface TradeRequest extends Tolerance {
  /** Symbol or mint. */
  readonly from: string;
  /** Symbol or mint. */
  readonly to: string;
  /** Amount that is spent, in the standard unit of `from`. */
  readonly amount: RequestedAmount;
  /** Most that the output may be below the quote, in basis points. */
  readonly slippageBps: number;
  /** Whether critical warnings of a token are accepted. */
  readonly allowRisky: boolean;
}

/** The mints of a trade. */
interface TradedMints {
  readonly inputMint: string;
  readonly outputMint: string;
}

/** Resolved trade. Parts that a plan does not have are absent. */
export interface TradePlan {
  /** Base58 address of the wallet that trades. */
  readonly wallet: string;
  readonly input: Token;
  readonly output: Token;
  /** Amount that was requested to be spent. */
  readonly amount: BaseUnits;
  /** Reasons against the tokens. */
  readonly warnings: readonly TokenWarning[];
  /** The aggregator's offer, once it was checked. */
  readonly offer?: Offer;
  /** Amounts that the wallet really lost and gained, without network costs and rent. */
  readonly landed?: Traded;
}

/** An offer of the aggregator that does what was asked and nothing else. */
export interface Offer {
  /** Base units of the output that the route promises. */
  readonly outputAmount: BaseUnits;
  /** Base units of the output below which nothing moves. */
  readonly minOutputAmount: BaseUnits;
  /** Decimal text of percentage points, negative for a loss; empty where it is not known. */
  readonly priceImpactPercent: string;
  /** Names of the venues, the largest share first. */
  readonly route: readonly string[];
  /** By which the aggregator knows its transaction again. */
  readonly requestId: string;
  /** Height that the aggregator requires with the signed transaction, where it named one. */
  readonly lastValidBlockHeight?: string;
  /** Index of the route among the message's instructions, from 0. */
  readonly routeInstruction: number;
  /** Lamports that the wallet puts into new accounts of its own that stay. */
  readonly rentLamports: BaseUnits;
  /** Lamports that the network takes of the wallet or its sponsor; 0 where a maker pays. */
  readonly feeLamports: BaseUnits;
  /** Lamports that the wallet or its sponsor gives away to be landed. */
  readonly tipLamports: BaseUnits;
  /** Base58 address of the wallet that pays the network in the wallet's place; absent where none does. */
  readonly sponsor?: string;
  /** Wrapped SOL from before that the trade unwraps: base units, and the lamports that the wallet gets for it. */
  readonly unwrapped?: Unwrapped;
}

/** Wrapped SOL that a trade unwraps. */
export interface Unwrapped {
  readonly units: BaseUnits;
  readonly lamports: BaseUnits;
}

/** Base units on both sides of a trade. */
export interface Traded {
  readonly inputAmount: BaseUnits;
  readonly outputAmount: BaseUnits;
}

const MAX_SLIPPAGE_BPS = 5_000;
const MAX_PRICE_IMPACT_BPS = 5_000;

/**
 * Refuses what can be refused without asking anyone. Fields are named as in the public API.
 * @param isAddress whether a text is the base58 form of 32 bytes
 * @throws AppError VALIDATION_ERROR or UNKNOWN_TOKEN
 */
export function checkTrade(request: TradeRequest, isAddress: (text: string) => boolean): TradedMints {
  const { from, to, slippageBps, maxPriceImpactBps } = request;
  const [inputMint, outputMint] = [mintNamed(from), mintNamed(to)];
  if (!isAddress(inputMint)) throw unknownToken('from', from);
  if (!isAddress(outputMint)) throw unknownToken('to', to);
  if (inputMint === outputMint) throw AppError.field('to', 'must not be the same token as from');
  if (!isIntegerTo(MAX_SLIPPAGE_BPS, slippageBps)) {
    throw AppError.field('slippageBps', `must be an integer from 1 to ${MAX_SLIPPAGE_BPS}`, 'out_of_range');
  }
  if (maxPriceImpactBps !== undefined && !isIntegerTo(MAX_PRICE_IMPACT_BPS, maxPriceImpactBps)) {
    const most = MAX_PRICE_IMPACT_BPS / 100;
    throw AppError.field('maxPriceImpactPercent', `must be from 0.01 to ${most}`, 'out_of_range');
  }
  return { inputMint, outputMint };
}

function isIntegerTo(max: number, value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

/** Returns the bounds that a request sets. */
export function toleranceOf({ maxPriceImpactBps, allowUnpricedOutput }: Tolerance): Tolerance {
  return { ...(maxPriceImpactBps === undefined ? {} : { maxPriceImpactBps }), allowUnpricedOutput };
}

/** Returns the lamports that the network takes of the wallet, and those that it gives away to be landed. */
export function walletCosts(offer: Offer | undefined): Pick<Offer, 'feeLamports' | 'tipLamports'> {
  const isPaidByWallet = offer !== undefined && offer.sponsor === undefined;
  return isPaidByWallet ? offer : { feeLamports: baseUnits(0n), tipLamports: baseUnits(0n) };
}

/** Returns the balance changes of a trade, by its quote. */
export function changesByTrade({ input, output, amount, offer }: TradePlan): readonly BalanceChange[] {
  const { outputAmount = 0n, rentLamports = 0n, unwrapped } = offer ?? {};
  const { feeLamports, tipLamports } = walletCosts(offer);
  return sumByMint([
    { ...shown(input), amount: 0n - amount },
    { ...shown(output), amount: outputAmount },
    {
      mint: '',
      symbol: 'SOL',
      decimals: SOL_DECIMALS,
      amount: (unwrapped?.lamports ?? 0n) - feeLamports - tipLamports - rentLamports,
    },
    { mint: NATIVE_MINT, symbol: 'wSOL', decimals: SOL_DECIMALS, amount: 0n - (unwrapped?.units ?? 0n) },
  ]);
}

function shown(token: Token): Pick<BalanceChange, 'mint' | 'symbol' | 'decimals'> {
  return { mint: isNative(token) ? '' : token.mint, symbol: token.symbol, decimals: token.decimals };
}
