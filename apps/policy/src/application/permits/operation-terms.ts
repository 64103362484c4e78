import type { intentV1 } from '@agent-wallet/contracts';
import type { ApprovableActionName } from '@agent-wallet/events';
import { formatAmount, parseAmount, parseUsd, USD_DECIMALS } from '@agent-wallet/kernel';
import { addPlan } from '@agent-wallet/solana';
import {
  type BuyTerms,
  type LiquidityTerms,
  NATIVE,
  operationOf,
  type OperationTerms,
  termsOf,
  type TradeTerms,
  type TransferTerms,
} from '../../domain/owners/document.js';
import { APPROVABLE, type Approvable } from '../../domain/spending.js';

type ApprovableCase = Approvable['intent'];

/** Actions that an owner can approve. */
export type ApprovableAction = {
  [Case in ApprovableCase]: Extract<NonNullable<intentV1.Intent['action']>, { $case: Case }>;
}[ApprovableCase];

/** Returns whether an owner can approve an action. */
export function isApprovable(action: intentV1.Intent['action']): action is ApprovableAction {
  return APPROVABLE.some(({ intent }) => intent === action?.$case);
}

/** An operation's intent, to be compared with what was signed. */
export interface ApprovedIntent {
  readonly operationId: string;
  /** Base58. */
  readonly wallet: string;
  readonly action: ApprovableAction;
}

/** Facts that the intent of an operation does not state. */
export interface KnownOfTerms {
  /** A known recipient whose address begins and ends like a transfer's. */
  readonly lookalikeOf: string | undefined;
  /** The most that the network may cost of any trade. */
  readonly maxNetworkLamports: bigint;
}

/** Returns the part of an operation that an owner signs: its name in the public API, and its terms. */
export function signedTerms(
  { $case, value }: ApprovableAction,
  { lookalikeOf, maxNetworkLamports }: KnownOfTerms,
): SignedTerms {
  switch ($case) {
    case 'transfer':
      return { action: 'transfer', terms: transferTerms(value, lookalikeOf) };
    case 'swap':
      return { action: 'trade', terms: { ...tradeTerms(value), maxNetworkLamports: String(maxNetworkLamports) } };
    case 'liquidityAdd':
      return { action: 'liquidity_add', terms: liquidityTerms(value) };
    case 'escrow':
      return { action: 'prediction_buy', terms: buyTerms(value) };
  }
}

/** The name of an action in the public API, and its terms. */
export type SignedTerms = {
  [Action in ApprovableActionName]: { readonly action: Action; readonly terms: OperationTerms[Action] };
}[ApprovableActionName];

function transferTerms(transfer: intentV1.Transfer, lookalikeOf: string | undefined): TransferTerms {
  const { recipient, mint, amount, decimals, fee = 0n, createsRecipientAccount, memo } = transfer;
  return {
    recipient,
    mint: mint || NATIVE,
    amount: String(amount),
    decimals: String(decimals),
    memo,
    lookalikeOf,
    maxFee: String(fee),
    createsAccount: String(createsRecipientAccount),
    trust: 'once',
  };
}

function tradeTerms(swap: intentV1.Swap): TradeTerms {
  const { inputMint, inputAmount, outputMint, minOutputAmount, slippageBps, maxNetworkLamports } = swap;
  return {
    inputMint,
    inputAmount: String(inputAmount),
    outputMint,
    minOutputAmount: String(minOutputAmount),
    slippageBps: String(slippageBps),
    maxNetworkLamports: String(maxNetworkLamports),
  };
}

function liquidityTerms(add: intentV1.LiquidityAdd): LiquidityTerms {
  const { pool, liquidity, max0, max1, slippageBps } = add;
  const { mint0, mint1 } = pool!;
  return {
    pool: addPlan(add).pool.address,
    mint0,
    mint1,
    maxAmount0: String(max0),
    maxAmount1: String(max1),
    liquidity: String(liquidity),
    slippageBps: String(slippageBps),
  };
}

/** Decimals of a number of contracts, which an order states in hundredths. */
const COUNT_DECIMALS = 2;

function buyTerms({ order }: intentV1.Escrow): BuyTerms {
  const { ticker, side, count, maxPriceUsdMicros, maxCostUsdMicros } = order!;
  return {
    ticker,
    side,
    count: formatAmount(count, COUNT_DECIMALS),
    maxPriceUsd: formatAmount(maxPriceUsdMicros, USD_DECIMALS),
    maxCostUsd: formatAmount(maxCostUsdMicros, USD_DECIMALS),
  };
}

/** Returns whether a stored document allows this: the same operation of the same wallet, within the terms. */
export function isWithinTerms(document: Buffer, { operationId, wallet, action }: ApprovedIntent): boolean {
  const operation = operationOf(document);
  if (operation.operationId !== operationId || operation.wallet !== wallet) return false;
  if (!APPROVABLE.some((each) => each.action === operation.action && each.intent === action.$case)) return false;
  const signed = termsOf('operation', document);
  switch (action.$case) {
    case 'transfer':
      return isTransferWithin(signed as TransferTerms, action.value);
    case 'swap':
      return isTradeWithin(signed as TradeTerms, action.value);
    case 'liquidityAdd':
      return isAdditionWithin(signed as LiquidityTerms, action.value);
    case 'escrow':
      return isBuyWithin(signed as BuyTerms, action.value);
  }
}

/**
 * Requires the same recipient, token, amount and memo, and a fee of at most the signed one. Allows an account for the
 * recipient only if that was signed.
 */
function isTransferWithin(signed: TransferTerms, transfer: intentV1.Transfer): boolean {
  const asked = transferTerms(transfer, signed.lookalikeOf);
  const isSame = (['recipient', 'mint', 'amount', 'decimals', 'memo'] as const).every(
    (name) => asked[name] === signed[name],
  );
  return (
    isSame &&
    BigInt(asked.maxFee) <= BigInt(signed.maxFee) &&
    (asked.createsAccount === 'false' || signed.createsAccount === 'true')
  );
}

/**
 * Requires the same tokens and input, at least the signed output, and at most the signed slippage and network costs.
 */
function isTradeWithin(signed: TradeTerms, swap: intentV1.Swap): boolean {
  const asked = tradeTerms(swap);
  const isSame = (['inputMint', 'inputAmount', 'outputMint'] as const).every((name) => asked[name] === signed[name]);
  return (
    isSame &&
    BigInt(asked.minOutputAmount) >= BigInt(signed.minOutputAmount) &&
    BigInt(asked.slippageBps) <= BigInt(signed.slippageBps) &&
    BigInt(asked.maxNetworkLamports) <= BigInt(signed.maxNetworkLamports)
  );
}

/** Requires the same pool, at least the signed liquidity tokens, and at most the signed amounts and tolerance. */
function isAdditionWithin(signed: LiquidityTerms, add: intentV1.LiquidityAdd): boolean {
  const asked = liquidityTerms(add);
  const isSame = (['pool', 'mint0', 'mint1'] as const).every((name) => asked[name] === signed[name]);
  return (
    isSame &&
    BigInt(asked.liquidity) >= BigInt(signed.liquidity) &&
    (['maxAmount0', 'maxAmount1', 'slippageBps'] as const).every((name) => BigInt(asked[name]) <= BigInt(signed[name]))
  );
}

/** Requires the same market, side and number of contracts, at most at the signed price and cost. */
function isBuyWithin(signed: BuyTerms, { order }: intentV1.Escrow): boolean {
  const { ticker, side, count, maxPriceUsdMicros, maxCostUsdMicros } = order!;
  return (
    ticker === signed.ticker &&
    side === signed.side &&
    count === parseAmount(signed.count, COUNT_DECIMALS) &&
    maxPriceUsdMicros <= parseUsd(signed.maxPriceUsd) &&
    maxCostUsdMicros <= parseUsd(signed.maxCostUsd)
  );
}
