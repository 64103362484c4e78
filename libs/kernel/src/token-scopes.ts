/**
 * Scopes of tokens: what the holder of one may ask for. `read`: everything that changes nothing; `propose`: changes of the
 * policy, which the owner decides on. The others are for the actions that move money.
 */
export const TOKEN_SCOPES = ['read', 'transfer', 'trade', 'predict', 'liquidity', 'propose'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Returns whether a name is that of a scope. */
export function isTokenScope(name: string): name is TokenScope {
  return (TOKEN_SCOPES as readonly string[]).includes(name);
}
