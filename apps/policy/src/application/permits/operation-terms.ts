import type { intentV1 } from '@agent-wallet/contracts';
import { operationOf, termsOf, type TradeTerms, type TransferTerms } from '../../domain/owners/document.js';

const NATIVE = 'native';

/** Actions that an owner can approve. */
export type ApprovableAction = Extract<intentV1.Intent['action'], { $case: 'transfer' | 'swap' }>;

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
): { readonly action: 'transfer' | 'trade'; readonly terms: TransferTerms | TradeTerms } {
  return $case === 'transfer'
    ? { action: 'transfer', terms: transferTerms(value, lookalikeOf) }
    : { action: 'trade', terms: { ...tradeTerms(value), maxNetworkLamports: String(maxNetworkLamports) } };
}

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

/** Returns whether a stored document allows this: the same operation of the same wallet, within the terms. */
export function isWithinTerms(document: Buffer, { operationId, wallet, action }: ApprovedIntent): boolean {
  const operation = operationOf(document);
  if (operation.operationId !== operationId || operation.wallet !== wallet) return false;
  const signed = termsOf('operation', document);
  if (operation.action === 'transfer' && action.$case === 'transfer') {
    return isTransferWithin(signed as TransferTerms, action.value);
  }
  return operation.action === 'trade' && action.$case === 'swap' && isTradeWithin(signed as TradeTerms, action.value);
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
