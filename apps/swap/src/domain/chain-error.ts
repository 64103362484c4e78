/** Aggregator's code for a price that moved too far: its program returns it on chain, and its responses for makers. */
export const SLIPPAGE_TOLERANCE_EXCEEDED = 6001;

/**
 * Returns whether a transaction failed because the route would have brought too little. The code alone means something
 * else in other programs, so the instruction must match, too.
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
