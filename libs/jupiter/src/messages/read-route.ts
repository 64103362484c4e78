import { lamportsSentTo, networkLamportsOf, readTrade } from './read-trade.js';
import type { RouteTerms } from './route-instruction.js';
import { readSwapMessage } from './swap-message.js';

/** The facts about a trade in the bytes of its own message. */
export interface RouteFacts extends RouteTerms {
  /** Base58; the mint of wrapped SOL for the native coin. */
  readonly inputMint: string;
  readonly outputMint: string;
  /** Base58 addresses of the programs that own the mints. */
  readonly inputTokenProgram: string;
  readonly outputTokenProgram: string;
  /** Network fee and tips that the wallet pays, or its sponsor; 0 for the network when the maker pays it. */
  readonly networkLamports: bigint;
  /** Lamports that are sent to the payer after the trade; undefined for none. */
  readonly returnedRentLamports: bigint | undefined;
  /** Base58 address of the maker that signs first and pays; undefined when the wallet alone signs. */
  readonly cosigner: string | undefined;
}

/**
 * Reads the one trade of a serialized message. It proves nothing: that is `checkSwapMessage`'s part.
 * @param resolvedAddresses what `resolveLookups` gave for the message
 * @throws MessageRefused for a message without exactly one trade of a known form, or that is none
 */
export function readRoute(message: Uint8Array, resolvedAddresses: readonly Uint8Array[]): RouteFacts {
  const read = readSwapMessage(message, resolvedAddresses);
  const trade = readTrade(read);
  const { accounts, rest: _rest, authorityId: _authorityId, ...terms } = trade.route;
  const { inputMint, outputMint, inputTokenProgram, outputTokenProgram } = accounts;
  return {
    ...terms,
    inputMint,
    outputMint,
    inputTokenProgram,
    outputTokenProgram,
    networkLamports: networkLamportsOf(trade),
    returnedRentLamports: lamportsSentTo(read.signers[0]!, trade),
    cosigner: terms.form === 'fill' ? accounts.maker : undefined,
  };
}

/** Returns the base units of a quote that must arrive: the rest after the slippage, rounded down. */
export function minimumOutput(quotedOutputAmount: bigint, slippageBps: number): bigint {
  return (quotedOutputAmount * BigInt(10_000 - slippageBps)) / 10_000n;
}
