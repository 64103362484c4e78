import type { EvidenceFormat } from '@agent-wallet/attestation';

/**
 * Guards data keys: the few secrets that open all others. What stands behind it (a file, a TPM, an enclave's key
 * broker), it seals and unseals 32 bytes when a data key is made or opened, and never sees an agent's key.
 */
export interface Vault {
  /** Seals a secret for storage anywhere. @throws VaultError */
  seal(secret: Uint8Array): Promise<Buffer>;
  /**
   * Opens what `seal` gave, here or in another replica. The caller wipes the result.
   * @throws VaultError when this vault cannot open it
   */
  unseal(sealed: Uint8Array): Promise<Buffer>;
  /** Returns evidence that a process under this vault's protection stated `binding` (32 bytes). @throws VaultError */
  evidence(binding: Uint8Array): Promise<Evidence>;
  /** Describes the vault, for logs and for those who ask what they trust. */
  describe(): VaultDescription;
  /** Lets go of what is open: sessions, sockets, secrets. */
  close?(): Promise<void>;
}

/** The vaults of one replica. */
export interface VaultSet {
  /** Seals and unseals. */
  readonly current: Vault;
  /** Vault that only unseals: the one that guarded the keys before, or the private recovery key. */
  readonly previous?: Vault | undefined;
  /** Vault that only seals: to the recovery key, whose private half is not here. */
  readonly recovery?: Vault | undefined;
}

/** Every kind of vault. `recovery` only unseals: it is what a data key was sealed to for the loss of all others. */
export type VaultDriver = 'software' | 'tpm2' | 'pkcs11' | 'dstack' | 'aws-nitro-kms' | 'coco' | 'recovery';

/** Description of a vault. */
export interface VaultDescription {
  /** Kept beside what it sealed. */
  readonly driver: VaultDriver;
  /** Barrier between the keys and the machine's operator, in words; `none` without one. */
  readonly isolation: string;
  /**
   * Short text that names the unsealing key, no secret: a TPM's SRK name, a token's serial and key, a KMS key ID … Kept
   * beside the seal. Empty while a vault has nothing yet that could be named.
   */
  readonly id: string;
}

/** A document that others can verify. */
export interface Evidence {
  readonly format: EvidenceFormat;
  /** Key that the evidence is signed with: hex or base58 text; `none` when nothing signs it. */
  readonly keyId: string;
  readonly document: Buffer;
}

/** The vault cannot seal or open; the message says what an operator can do and holds no secret. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}
