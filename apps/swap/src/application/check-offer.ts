import type { intentV1 } from '@agent-wallet/contracts';
import {
  JUPITER_PROGRAM,
  minimumOutput,
  ORDER_ENGINE_PROGRAM,
  type OrderResponse,
  readLookups,
  readRoute,
  resolvedAddressesHash,
  type RouteFacts,
  UnresolvedLookups,
} from '@agent-wallet/jupiter';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { AppError } from '@agent-wallet/kernel';
import { MalformedMessage, messageFacts, MessageRefused, splitTransaction } from '@agent-wallet/solana';
import type { Sides } from '../domain/trade-sides.js';
import type { Tolerance } from '../domain/trade.js';
import { unsafeTransaction } from '../domain/unsafe-transaction.js';
import type { SwapChain } from '../ports/swap-chain.js';

/** The requested trade. */
export interface AskedTrade extends Sides, Tolerance {
  /** Base units of the input. */
  readonly amount: bigint;
  readonly slippageBps: number;
  /** Base58 address of the wallet that pays the network; undefined for the trader itself, or a maker. */
  readonly sponsor?: string | undefined;
}

/** Limits of an offer, regardless of the agent's request. */
export interface OfferLimits {
  /** The most that network fee and tips may cost the wallet or its sponsor, in lamports. */
  readonly maxNetworkLamports: bigint;
  /** Whether a market maker may sign the same bytes. */
  readonly allowsCosigned: boolean;
}

/** An offer whose bytes say that it is what was asked for, and nothing else. */
export interface CheckedOffer {
  /** Serialized, without signatures. */
  readonly message: Uint8Array;
  readonly resolvedAddresses: readonly Uint8Array[];
  readonly intent: intentV1.Intent;
  readonly swap: intentV1.Swap;
  /** Index of the route among the message's instructions. */
  readonly routeInstruction: number;
}

/**
 * Reads an order's transaction and proves that it is the trade that was asked for, as the signer will.
 * @throws AppError UNSAFE_TRANSACTION when it is not; NO_ROUTE when nothing need arrive of so little; UPSTREAM_ERROR,
 *   UPSTREAM_TIMEOUT of the chain
 */
export async function checkOffer(
  chain: Pick<SwapChain, 'accounts'>,
  { order, asked, limits }: { readonly order: OrderResponse; readonly asked: AskedTrade; readonly limits: OfferLimits },
): Promise<CheckedOffer> {
  try {
    checkEcho(order, asked);
    const { message } = splitTransaction(Buffer.from(order.transaction ?? '', 'base64'));
    const resolvedAddresses = await readLookups(message, (addresses) => chain.accounts(addresses));
    const facts = readRoute(message, resolvedAddresses);
    const swap = swapOf(facts, { order, asked, limits }, resolvedAddresses);
    const { wallet, sponsor } = asked;
    const sponsorship = sponsor === undefined ? {} : { sponsor, maxNetworkFeeLamports: swap.maxNetworkLamports };
    const intent: intentV1.Intent = { wallet, action: { $case: 'swap', value: swap }, ...sponsorship };
    checkSwapMessage(message, intent, resolvedAddresses, { maxNetworkFeeLamports: limits.maxNetworkLamports });
    return { message, resolvedAddresses, intent, swap, routeInstruction: routeInstructionOf(message) };
  } catch (error) {
    const isRefusal =
      error instanceof MessageRefused || error instanceof MalformedMessage || error instanceof UnresolvedLookups;
    throw isRefusal ? unsafeTransaction('the transaction is not the trade that was asked for', error) : error;
  }
}

/** Checks the words beside the transaction. They decide nothing, but wrong ones end the check. */
function checkEcho(order: OrderResponse, { wallet, input, output, amount }: AskedTrade): void {
  const isSame =
    order.inputMint === input.mint &&
    order.outputMint === output.mint &&
    order.inAmount === amount &&
    order.taker === wallet;
  if (!isSame) throw unsafeTransaction('the order is another one than was asked for');
}

/**
 * Reads the intent from the bytes, bounded by the request. Content of the bytes beyond the request is refused here;
 * effects beside their intent are refused by the check.
 */
function swapOf(
  facts: RouteFacts,
  { order, asked, limits }: { readonly order: OrderResponse; readonly asked: AskedTrade; readonly limits: OfferLimits },
  resolvedAddresses: readonly Uint8Array[],
): intentV1.Swap {
  const { input, output, amount, slippageBps: askedBps, maxPriceImpactBps, allowUnpricedOutput, sponsor } = asked;
  const { returnedRentLamports } = facts;
  if (facts.cosigner !== undefined && !limits.allowsCosigned) throw unsafeTransaction('a maker would sign, too');
  if (facts.slippageBps > askedBps) throw unsafeTransaction('more slippage would be tolerated');
  if (facts.platformFeeBps > order.feeBps) throw unsafeTransaction('a larger fee would be taken than was quoted');
  if (facts.networkLamports > limits.maxNetworkLamports) throw unsafeTransaction('the network would cost too much');
  // A maker's price is fixed: what the caller tolerates is not used.
  const slippageBps = facts.form === 'fill' ? askedBps : facts.slippageBps;
  const minOutputAmount = minimumOutput(facts.quotedOutputAmount, slippageBps);
  if (minOutputAmount + 1n < minimumOutput(order.outAmount, askedBps)) {
    throw unsafeTransaction('less might arrive than the quote and the slippage allow');
  }
  // So little is traded that the slippage is all of it: not the aggregator's fault.
  if (minOutputAmount <= 0n) throw new AppError('NO_ROUTE');
  return {
    inputMint: input.mint,
    inputTokenProgram: input.tokenProgram,
    inputDecimals: input.decimals,
    inputAmount: amount,
    outputMint: output.mint,
    outputTokenProgram: output.tokenProgram,
    quotedOutputAmount: facts.quotedOutputAmount,
    minOutputAmount,
    slippageBps,
    platformFeeBps: facts.platformFeeBps,
    maxNetworkLamports: facts.networkLamports,
    resolvedAddressesHash: resolvedAddressesHash(resolvedAddresses),
    ...(facts.cosigner === undefined ? {} : { cosigner: facts.cosigner }),
    ...(maxPriceImpactBps === undefined ? {} : { maxPriceImpactBps }),
    ...(sponsor === undefined || returnedRentLamports === undefined ? {} : { returnedRentLamports }),
    allowUnpricedOutput,
  };
}

function routeInstructionOf(message: Uint8Array): number {
  const isRoute = (program: string) => program === JUPITER_PROGRAM || program === ORDER_ENGINE_PROGRAM;
  return messageFacts(message).programs.findIndex(isRoute);
}
