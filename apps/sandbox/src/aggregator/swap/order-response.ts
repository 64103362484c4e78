import { formatAmount, readDecimal } from '@agent-wallet/kernel';
import type { Chain } from '../../chain/chain.js';
import { type Key, key, keyText } from '../../encoding/keys.js';
import type { TokenRegistry } from '../../tokens/registry.js';
import type { PriceBoard } from '../../market/price-board.js';
import { type NetworkFees, SIGNATURE_LAMPORTS } from './network-fees.js';
import { leastOutput, type Offer, type Problem } from './offer.js';

const BPS_PER_PERCENT = 100;
const USD_DECIMALS = 6;

/** Where dollar values come from. */
export interface ValueSource {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
}

/** What is said of an order besides its offer. */
interface OrderFacts {
  readonly requestId: string;
  /** Whether the caller said the slippage. */
  readonly isManual: boolean;
  readonly taker: Key | undefined;
  /** Payer of the network in the taker's place. */
  readonly payer: Key | undefined;
  readonly fees: NetworkFees;
  readonly rentLamports: bigint;
  /** Base64; null without a signer, empty when none could be made. */
  readonly transaction: string | null;
  readonly problem: Problem | undefined;
  readonly lastValidBlockHeight: string | undefined;
  readonly startedMs: number;
}

/** The answer to an order. Amounts are decimal texts of base units; the transaction is the last word on all of it. */
export function orderResponse(offer: Offer, facts: OrderFacts, source: ValueSource): Record<string, unknown> {
  const { taker, fees, problem } = facts;
  const inUsdValue = usdValue(source, offer.inputMint, offer.inAmount);
  const payer = taker && (offer.maker?.address ?? keyText(facts.payer ?? taker));
  const isGasless = offer.maker !== undefined || facts.payer !== undefined;
  return {
    mode: facts.isManual ? 'manual' : 'ultra',
    inputMint: keyText(offer.inputMint),
    outputMint: keyText(offer.outputMint),
    inAmount: String(offer.inAmount),
    outAmount: String(offer.outAmount),
    inUsdValue,
    outUsdValue: usdValue(source, offer.outputMint, offer.outAmount),
    swapUsdValue: inUsdValue,
    priceImpact: offer.priceImpactPct,
    priceImpactPct: String(offer.priceImpactPct / 100),
    otherAmountThreshold: String(leastOutput(offer)),
    swapMode: 'ExactIn',
    slippageBps: offer.slippageBps,
    routePlan: routePlan(offer, source),
    feeMint: keyText(offer.outputMint),
    feeBps: offer.platformFeeBps,
    platformFee: { feeBps: offer.platformFeeBps, feeMint: keyText(offer.outputMint) },
    signatureFeeLamports: Number(isGasless ? 2n * SIGNATURE_LAMPORTS : SIGNATURE_LAMPORTS),
    signatureFeePayer: payer ?? null,
    prioritizationFeeLamports: Number(fees.priorityLamports + (offer.maker ? 0n : fees.tipLamports)),
    prioritizationFeePayer: payer ?? null,
    rentFeeLamports: Number(facts.rentLamports),
    rentFeePayer: taker === undefined ? null : keyText(facts.payer ?? taker),
    swapType: offer.maker ? 'rfq' : 'aggregator',
    router: offer.router,
    transaction: facts.transaction,
    gasless: isGasless,
    ...(offer.maker && {
      quoteId: offer.maker.quoteId,
      maker: offer.maker.address,
      expireAt: String(offer.maker.expireAtSeconds),
    }),
    ...(problem && { errorCode: problem.code, errorMessage: problem.message, error: problem.message }),
    lastValidBlockHeight: facts.lastValidBlockHeight,
    requestId: facts.requestId,
    totalTime: Math.round(performance.now() - facts.startedMs),
    taker: taker === undefined ? null : keyText(taker),
  };
}

function routePlan({ legs }: Offer, source: ValueSource): unknown[] {
  return legs.map(({ venue, ammKey, inputMint, outputMint, inAmount, outAmount, bps }) => ({
    swapInfo: {
      ammKey,
      label: venue,
      inputMint,
      outputMint,
      inAmount: String(inAmount),
      outAmount: String(outAmount),
    },
    percent: bps / BPS_PER_PERCENT,
    bps,
    usdValue: usdValue(source, key(inputMint), inAmount),
  }));
}

/** Dollars as a JSON number; undefined without a price that makes sense. */
function usdValue({ chain, tokens, prices }: ValueSource, mint: Key, units: bigint): number | undefined {
  const token = tokens.get(mint);
  const price = token && prices.get(mint, chain.view().confirmed);
  if (!token || !price || !/^\d{1,31}(\.\d{1,37})?$/.test(price.usdText)) return undefined;
  const { digits, scale } = readDecimal(price.usdText);
  const micros = (units * digits * 10n ** BigInt(USD_DECIMALS)) / 10n ** BigInt(scale + token.decimals);
  return Number(formatAmount(micros, USD_DECIMALS));
}
