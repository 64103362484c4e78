import { namedTokens, type NamedToken } from '@agent-wallet/kernel/known-tokens';
import type { SolanaNetwork } from '@agent-wallet/kernel/networks';
import { TEXTS } from '../texts.js';
import { showUnits } from './show.js';

/** A token that the page knows by itself. */
export interface KnownToken {
  readonly symbol: string;
  readonly decimals: number;
}

/** The native coin's name in documents. */
const NATIVE = 'native';

let named = namedTokens('mainnet-beta');
let known = tokensOf(named);

/** Chooses the network whose named tokens the page knows by itself; once, when it starts. */
export function chooseNetwork(network: SolanaNetwork): void {
  named = namedTokens(network);
  known = tokensOf(named);
}

/** Returns the named tokens of the chosen network; the native coin first. */
export function namedOnNetwork(): readonly NamedToken[] {
  return named;
}

/** Returns named tokens by mint. Every other one is shown by its address. */
function tokensOf(tokens: readonly NamedToken[]): ReadonlyMap<string, KnownToken> {
  return new Map([[NATIVE, tokens[0]!], ...tokens.map((token) => [token.mint, token] as const)]);
}

/** Returns a token that the page knows. */
export function knownToken(mint: string): KnownToken | undefined {
  return known.get(mint);
}

/** Shows an amount. Without decimals that a document states or the page knows, it stays in base units. */
export function showTokens(mint: string, amount: string, decimals = knownToken(mint)?.decimals): string {
  const symbol = knownToken(mint)?.symbol;
  if (decimals === undefined) return `${showUnits(amount, 0)} ${TEXTS.approval.baseUnits}`;
  return [showUnits(amount, decimals), symbol].filter(Boolean).join(' ');
}
