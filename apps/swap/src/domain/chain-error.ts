/** How the aggregator says that the price moved too far: by its program on chain, and for makers in its answers. */
export const SLIPPAGE_TOLERANCE_EXCEEDED = 6001;

/**
 * Whether a transaction failed because the route would have brought too little. The number alone means something else
 * in other programs, so the instruction counts, too.
 * @param error the chain's own error as JSON text
 */
export function isSlippage(error: string, routeInstruction: number): boolean {
  const wanted = { InstructionError: [routeInstruction, { Custom: SLIPPAGE_TOLERANCE_EXCEEDED }] };
  try {
    return JSON.stringify(JSON.parse(error)) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}
