/** The forms of a trade that are read; every other one is refused. */
export type RouteForm = 'route_v2' | 'shared_accounts_route_v2' | 'fill';

/** What a swap's message says of its trade, in its own bytes. */
export interface RouteFacts {
  readonly form: RouteForm;
  /** Base58; the mint of wrapped SOL for the native coin. */
  readonly inputMint: string;
  readonly outputMint: string;
  /** Base58 addresses of the programs that own the mints. */
  readonly inputTokenProgram: string;
  readonly outputTokenProgram: string;
  /** Base units. */
  readonly inputAmount: bigint;
  /** Base units, before slippage. */
  readonly quotedOutputAmount: bigint;
  /** 0 for a fill, whose price is fixed. */
  readonly slippageBps: number;
  readonly platformFeeBps: number;
  readonly positiveSlippageBps: number;
  /** Network fee and tips that the wallet pays; 0 when the maker pays the network. */
  readonly networkLamports: bigint;
  /** Base58 address of the maker that signs first and pays; undefined when the wallet alone signs. */
  readonly cosigner: string | undefined;
}

/**
 * Reads the one trade of a serialized message. It proves nothing: that is `checkSwapMessage`'s part.
 * @param resolvedAddresses what `resolveLookups` gave for the message
 * @throws MessageRefused for a message without exactly one trade of a known form; `malformed` for bytes that are no message
 */
export function readRoute(_message: Uint8Array, _resolvedAddresses: readonly Uint8Array[]): RouteFacts {
  throw new Error('not there yet');
}

/** Base units that must arrive of a quote: what is left after the slippage, rounded down. */
export function minimumOutput(quotedOutputAmount: bigint, slippageBps: number): bigint {
  return (quotedOutputAmount * BigInt(10_000 - slippageBps)) / 10_000n;
}
