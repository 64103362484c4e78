import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, MAX_BASE_UNITS } from '@agent-wallet/kernel';
import { isAddress, isTokenProgram, isWalletAddress, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import type { SwapTerms } from '../../domain/swap-terms.js';
import { MAX_PRICE_IMPACT_BPS } from '../../domain/trade-fairness.js';

const ALL_BPS = 10_000n;
const MAX_SLIPPAGE_BPS = 5_000;
const HASH_BYTES = 32;

/** Proves that a swap makes sense by itself. @throws AppError VALIDATION_ERROR naming the field */
export function checkSwap(intent: intentV1.Intent, swap: intentV1.Swap, terms: SwapTerms): void {
  checkSponsorship(intent, swap);
  checkTokens(swap);
  checkAmounts(swap);
  if (swap.maxNetworkLamports > terms.maxNetworkLamports) {
    throw refused('maxNetworkLamports', `must be at most ${terms.maxNetworkLamports}`);
  }
  if (swap.resolvedAddressesHash.length !== HASH_BYTES) {
    throw refused('resolvedAddressesHash', `must have ${HASH_BYTES} bytes`);
  }
  if (swap.cosigner !== undefined) checkCosigner(intent.wallet, swap.cosigner, terms);
}

/** Lets a sponsor pay for a wallet that buys the SOL it needs, by a route that no maker signs, and for no other swap. */
function checkSponsorship({ sponsor, maxNetworkFeeLamports }: intentV1.Intent, swap: intentV1.Swap): void {
  if (sponsor === undefined) {
    if (swap.returnedRentLamports !== undefined)
      throw refused('returnedRentLamports', 'must be unset without a sponsor');
    return;
  }
  const isBuyOfSol = swap.outputMint === WRAPPED_SOL_MINT && swap.inputMint !== WRAPPED_SOL_MINT;
  if (!isBuyOfSol || swap.cosigner !== undefined) {
    throw AppError.field('intent.sponsor', 'must be unset: buys of SOL without a maker are sponsored alone');
  }
  if (swap.maxNetworkLamports !== maxNetworkFeeLamports) {
    throw refused('maxNetworkLamports', 'must be what the sponsor pays at most');
  }
}

function checkTokens({ inputMint, inputTokenProgram, outputMint, outputTokenProgram }: intentV1.Swap): void {
  if (!isAddress(inputMint)) throw refused('inputMint', 'must be an address');
  if (!isTokenProgram(inputTokenProgram)) throw refused('inputTokenProgram', 'must be a token program');
  if (!isAddress(outputMint)) throw refused('outputMint', 'must be an address');
  if (!isTokenProgram(outputTokenProgram)) throw refused('outputTokenProgram', 'must be a token program');
  if (inputMint === outputMint) throw refused('outputMint', 'must differ from the mint that is spent');
}

function checkAmounts(swap: intentV1.Swap): void {
  if (!isAmount(swap.inputAmount)) throw refused('inputAmount', 'must be a positive u64');
  if (!isAmount(swap.quotedOutputAmount)) throw refused('quotedOutputAmount', 'must be a positive u64');
  const { slippageBps, platformFeeBps } = swap;
  if (slippageBps > MAX_SLIPPAGE_BPS) throw refused('slippageBps', `must be at most ${MAX_SLIPPAGE_BPS}`);
  if (platformFeeBps >= ALL_BPS) throw refused('platformFeeBps', `must be below ${ALL_BPS}`);
  if (swap.maxPriceImpactBps !== undefined && !isImpact(swap.maxPriceImpactBps)) {
    throw refused('maxPriceImpactBps', `must be from 1 to ${MAX_PRICE_IMPACT_BPS}`);
  }
  const mostTolerable = (swap.quotedOutputAmount * (ALL_BPS - BigInt(slippageBps))) / ALL_BPS;
  if (swap.minOutputAmount <= 0n || swap.minOutputAmount > mostTolerable) {
    throw refused('minOutputAmount', 'must be positive, and at most what was quoted less the slippage');
  }
}

/**
 * Rejects a cosigner that is not a market maker with a key of its own. A maker's address is on the curve, so it is not
 * a token account either.
 */
function checkCosigner(wallet: string, cosigner: string, { allowsCosigned }: SwapTerms): void {
  if (!allowsCosigned) throw refused('cosigner', 'must be unset: swaps with a cosigner are switched off');
  if (!isWalletAddress(cosigner)) throw refused('cosigner', 'must be the address of a wallet');
  if (cosigner === wallet) throw refused('cosigner', 'must not be the wallet itself');
}

function isAmount(amount: bigint): boolean {
  return amount > 0n && amount <= MAX_BASE_UNITS;
}

function isImpact(bps: number): boolean {
  return bps >= 1 && bps <= MAX_PRICE_IMPACT_BPS;
}

function refused(field: string, reason: string): AppError {
  return AppError.field(`intent.swap.${field}`, reason);
}
