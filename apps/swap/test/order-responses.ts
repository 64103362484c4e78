/** An order as `…/order` answers it, before its transaction. */
export interface OrderTerms {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly slippageBps: number;
  readonly taker: string;
  /** Base64. */
  readonly transaction: string;
}

/** A well-formed answer, as JSON; `over` makes it another one. */
export function orderJson(terms: OrderTerms, over: Record<string, unknown> = {}): Record<string, unknown> {
  const { inputMint, outputMint, inAmount, outAmount, slippageBps, taker, transaction } = terms;
  const amounts = { inAmount: inAmount.toString(), outAmount: outAmount.toString() };
  return {
    ...{ mode: 'manual', inputMint, outputMint, ...amounts, swapMode: 'ExactIn', slippageBps },
    otherAmountThreshold: ((outAmount * BigInt(10_000 - slippageBps)) / 10_000n).toString(),
    priceImpactPct: '-0.0012',
    priceImpact: -0.12,
    routePlan: [
      {
        swapInfo: { ammKey: inputMint, label: 'Orca Whirlpool', inputMint, outputMint, ...amounts },
        percent: 100,
        bps: 10_000,
      },
    ],
    feeBps: 10,
    platformFee: { feeBps: 10 },
    ...{ signatureFeeLamports: 5_000, prioritizationFeeLamports: 0, rentFeeLamports: 0 },
    ...{ signatureFeePayer: taker, prioritizationFeePayer: taker, rentFeePayer: taker },
    ...{ swapType: 'aggregator', router: 'metis', transaction, lastValidBlockHeight: '300', gasless: false },
    ...{ requestId: 'the-request', totalTime: 12, taker },
    someFieldOfTomorrow: { any: 'thing' },
    ...over,
  };
}
