/** Policy's current permit key. */
export interface PermitSigner {
  /** Signs the input with Ed25519, and names the key that signed. */
  sign(input: Uint8Array): { readonly keyId: string; readonly signature: Uint8Array };
}
