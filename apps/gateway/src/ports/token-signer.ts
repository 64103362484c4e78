/** Makes bearer tokens. */
export interface TokenSigner {
  /** A signed token of a session; times are Unix milliseconds. */
  sign(session: { id: string; agentId: string; issuedAtMs: number; expiresAtMs: number }): Promise<string>;
}
