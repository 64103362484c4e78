import type { intentV1 } from '@agent-wallet/contracts';
import { MAX_BASE_UNITS } from '@agent-wallet/kernel';
import {
  associatedTokenAddress,
  isAddress,
  isTokenProgram,
  isWalletAddress,
  TOKEN_PROGRAM,
  type TokenProgram,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/solana/checks';
import { minimumOutput } from '../messages/read-route.js';
import { refuse } from '../messages/swap-message.js';

/** An intent to swap, proved to make sense: what a message is compared with. */
export interface SwapPlan extends Omit<intentV1.Swap, 'inputMint' | 'outputMint'> {
  /** Base58. */
  readonly wallet: string;
  /** Base58; undefined when the wallet pays for the network itself, or a maker does. */
  readonly sponsor: string | undefined;
  readonly input: SwapSide;
  readonly output: SwapSide;
}

/** A token of the swap, as the wallet holds it. */
export interface SwapSide {
  readonly mint: string;
  readonly tokenProgram: TokenProgram;
  /** The wallet's associated token account. */
  readonly account: string;
  /** The native coin: wrapped into that account, and out of it again. */
  readonly isNative: boolean;
}

/** The most that a swap may ever tolerate, under any permit. */
const MAX_SLIPPAGE_BPS = 5_000;
/** The most that the aggregator ever asks. */
const MAX_PLATFORM_FEE_BPS = 255;
const HASH_BYTES = 32;

/**
 * Takes an intent as it must be to be carried out.
 *
 * Rules, beside that every field is what it says: the minimum is not above what the quote and the slippage leave, and
 * not 0, so that nothing can arrive for something; the maker is another wallet; a sponsor pays for a route that buys the
 * native coin alone, and no more than the swap may cost the network. They stop an intent that permits, by a contradiction,
 * what its numbers seem to forbid.
 * @throws MessageRefused `intent`
 */
export function swapPlan({ wallet, action, sponsor, maxNetworkFeeLamports }: intentV1.Intent): SwapPlan {
  if (action?.$case !== 'swap') return refused('it is not a swap');
  const swap = action.value;
  if (!isWalletAddress(wallet)) refused('the wallet is not a wallet');
  checkAmounts(swap);
  if (swap.resolvedAddressesHash.length !== HASH_BYTES) refused('the hash of the resolved addresses is none');
  const { cosigner, inputMint, outputMint } = swap;
  if (cosigner !== undefined && (!isWalletAddress(cosigner) || [wallet, inputMint, outputMint].includes(cosigner))) {
    refused('the maker is not another wallet');
  }
  if (inputMint === outputMint) refused('both sides are the same token');
  const [input, output] = [
    sideOf(wallet, inputMint, swap.inputTokenProgram),
    sideOf(wallet, outputMint, swap.outputTokenProgram),
  ];
  const plan = { ...swap, wallet, sponsor, input, output };
  checkSponsor(plan, maxNetworkFeeLamports);
  return plan;
}

function checkSponsor(plan: SwapPlan, maxNetworkFeeLamports: bigint | undefined): void {
  const { wallet, sponsor, cosigner, input, output, maxNetworkLamports, returnedRentLamports } = plan;
  if (sponsor === undefined) {
    if (maxNetworkFeeLamports !== undefined) refused('it bounds the network fee of no sponsor');
    if (returnedRentLamports !== undefined) refused('it returns rent to no sponsor');
    return;
  }
  if (!isWalletAddress(sponsor) || [wallet, input.mint, output.mint].includes(sponsor)) {
    refused('the sponsor is not another wallet');
  }
  if (cosigner !== undefined) refused('a maker pays, not a sponsor');
  if (input.isNative || !output.isNative) refused('a sponsor pays for buys of the native coin alone');
  if (maxNetworkFeeLamports !== maxNetworkLamports) refused('the network fee of the sponsor is bounded in two ways');
  if (returnedRentLamports !== undefined && !isAmount(returnedRentLamports)) {
    refused('the returned rent is not a positive u64');
  }
}

function checkAmounts(swap: intentV1.Swap): void {
  const { inputAmount, quotedOutputAmount, minOutputAmount, slippageBps, platformFeeBps, inputDecimals } = swap;
  if (!isAmount(inputAmount) || !isAmount(quotedOutputAmount) || !isAmount(minOutputAmount)) {
    refused('an amount is not a positive u64');
  }
  if (!isWithin(slippageBps, MAX_SLIPPAGE_BPS)) refused('the slippage is out of bounds');
  if (!isWithin(platformFeeBps, MAX_PLATFORM_FEE_BPS)) refused("the aggregator's fee is out of bounds");
  if (!isWithin(inputDecimals, 255)) refused('the decimals are not a u8');
  if (minOutputAmount > minimumOutput(quotedOutputAmount, slippageBps)) {
    refused('more must arrive than the slippage leaves of the quote');
  }
  if (swap.maxNetworkLamports < 0n || swap.maxNetworkLamports > MAX_BASE_UNITS) refused('the network fee is not a u64');
}

const isAmount = (amount: bigint): boolean => amount > 0n && amount <= MAX_BASE_UNITS;
const isWithin = (value: number, max: number): boolean => Number.isInteger(value) && value >= 0 && value <= max;

/**
 * Returns a side of the swap. Wrapped SOL belongs to the first token program alone: Token-2022 has a wrapped mint of
 * its own.
 */
function sideOf(wallet: string, mint: string, tokenProgram: string): SwapSide {
  if (!isAddress(mint)) refused('a mint is not an address');
  if (!isTokenProgram(tokenProgram)) return refused('a token program is not known');
  const isNative = mint === WRAPPED_SOL_MINT;
  if (isNative && tokenProgram !== TOKEN_PROGRAM) refused("wrapped SOL is not the other program's");
  return { mint, tokenProgram, account: associatedTokenAddress({ owner: wallet, mint, tokenProgram }), isNative };
}

function refused(why: string): never {
  return refuse('intent', `The intent cannot be carried out: ${why}.`);
}
