import {
  bindingOf,
  isNonce,
  NONCE_BYTES,
  type PermitKey,
  permitKeysHash,
  statementBytes,
} from '@agent-wallet/attestation';
import { AppError } from '@agent-wallet/kernel';
import type { PermitKeys } from '../ports/permit-keys.js';
import type { Evidence, Vault } from '../ports/vault.js';
import type { Boot } from './boot.js';

/** Description of this replica, for one nonce. */
export interface Attestation {
  readonly driver: string;
  readonly isolation: string;
  readonly evidence: Evidence;
  /** Value that the evidence is bound to; SHA-256 of the statement. */
  readonly boundNonce: Buffer;
  readonly statement: Buffer;
  readonly permitKeys: readonly PermitKey[];
}

/**
 * A TPM takes its time: further calls get a retryable error. Strangers do not take all: services start by these answers.
 */
const MAX_AT_ONCE = 4;
const MAX_PUBLIC_AT_ONCE = 2;
const ED25519_BYTES = 32;

/** Says what guards the keys, with evidence of the vault that is bound to the asker's nonce and to this boot. */
export class Attest {
  #underWay = { all: 0, public: 0 };

  constructor(
    readonly boot: Boot,
    private readonly vault: Vault,
    private readonly permitKeys: PermitKeys,
  ) {}

  /**
   * @param isPublic whether a stranger asked
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE; VaultError
   */
  async execute(nonce: Uint8Array, isPublic = false): Promise<Attestation> {
    const { min, max } = NONCE_BYTES;
    if (!isNonce(nonce)) throw AppError.field('nonce', `must be ${min} to ${max} bytes`);
    const underWay = this.#underWay;
    const isFull = underWay.all >= MAX_AT_ONCE || (isPublic && underWay.public >= MAX_PUBLIC_AT_ONCE);
    if (isFull) throw new AppError('SERVICE_UNAVAILABLE');
    underWay.all += 1;
    if (isPublic) underWay.public += 1;
    try {
      return await this.#attest(nonce);
    } finally {
      underWay.all -= 1;
      if (isPublic) underWay.public -= 1;
    }
  }

  async #attest(nonce: Uint8Array): Promise<Attestation> {
    const { driver, isolation } = this.vault.describe();
    const permitKeys = rawKeys(this.permitKeys);
    const { buildDigest, key } = this.boot;
    const said = { nonce, driver, isolation, buildDigest, ephemeralKey: key.publicKey };
    const statement = statementBytes({ ...said, permitKeysHash: permitKeysHash(permitKeys) });
    const boundNonce = bindingOf(statement);
    const evidence = await this.vault.evidence(boundNonce);
    return { driver, isolation, evidence, boundNonce, statement, permitKeys };
  }
}

function rawKeys(keys: PermitKeys): PermitKey[] {
  return [...keys].map(([keyId, key]) => ({
    keyId,
    publicKey: key.export({ format: 'der', type: 'spki' }).subarray(-ED25519_BYTES),
  }));
}
