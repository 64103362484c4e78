/**
 * Guards the data key: the one secret that opens all others. Whatever stands behind it (a file, a TPM, an enclave's key
 * broker), it only ever seals and unseals these few bytes, at start.
 */
export interface Vault {
  /** Seals a secret for storage anywhere. */
  seal(secret: Uint8Array): Promise<Buffer>;
  /**
   * Opens what `seal` gave, here or in another replica. The caller wipes the result.
   * @throws VaultError when this vault cannot open it
   */
  unseal(sealed: Uint8Array): Promise<Buffer>;
  /** What it is, for logs and for those who ask what they trust. */
  describe(): VaultDescription;
}

/** What a vault is. */
export interface VaultDescription {
  /** The driver's name, kept beside what it sealed. */
  readonly driver: string;
  /** What separates the keys from the machine's operator, in words; `none` when nothing does. */
  readonly isolation: string;
}

/** The vault cannot seal or open; the message says what an operator can do and holds no secret. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}
