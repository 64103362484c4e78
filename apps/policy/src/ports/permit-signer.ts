/** Policy's current permit key. */
export interface PermitSigner {
  /** Ed25519 over the input, and which key made it. */
  sign(input: Uint8Array): { readonly keyId: string; readonly signature: Uint8Array };
}
