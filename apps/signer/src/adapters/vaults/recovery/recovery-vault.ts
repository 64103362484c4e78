import { SettingsError } from '@agent-wallet/platform';
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';

const MIN_BITS = 3_072;
const ID_BYTES = 8;
const OAEP = {
  padding: constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash: 'sha256',
  oaepLabel: Buffer.from('agent-wallet/recovery/v1'),
};

/**
 * Seals to an RSA key whose private half is kept offline: with that half and the database anyone has every key. It guards
 * against the loss of a vault, and guards nothing by itself.
 */
export class RecoveryVault implements Vault {
  readonly #id: string;

  private constructor(
    private readonly publicKey: KeyObject,
    private readonly privateKey?: KeyObject,
  ) {
    const der = publicKey.export({ format: 'der', type: 'spki' });
    this.#id = createHash('sha256').update(der).digest().subarray(0, ID_BYTES).toString('hex');
  }

  /** Creates a vault that only seals. @throws SettingsError */
  static ofPublicKey(pem: string): RecoveryVault {
    const variable = 'SIGNER_RECOVERY_PUBLIC_KEY_PATH';
    // node:crypto would make a public key of a private one without a word.
    if (pem.includes('PRIVATE KEY')) {
      throw new SettingsError([`${variable}: this is a private key; keep it where no signer is`]);
    }
    return new RecoveryVault(rsaKey(variable, () => createPublicKey(pem)));
  }

  /** Creates a vault that unseals. @throws SettingsError */
  static ofPrivateKey(pem: string): RecoveryVault {
    const key = rsaKey('SIGNER_RECOVERY_PRIVATE_KEY_PATH', () => createPrivateKey(pem));
    return new RecoveryVault(createPublicKey(key), key);
  }

  async seal(secret: Uint8Array): Promise<Buffer> {
    return publicEncrypt({ key: this.publicKey, ...OAEP }, secret);
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    if (!this.privateKey) throw new VaultError('the private recovery key is not here');
    try {
      return privateDecrypt({ key: this.privateKey, ...OAEP }, sealed);
    } catch (cause) {
      throw new VaultError('the recovery key is not the one that the data key was sealed to', { cause });
    }
  }

  async evidence(): Promise<Evidence> {
    throw new VaultError('a recovery key guards nothing that it could give evidence of');
  }

  describe(): VaultDescription {
    return { driver: 'recovery', isolation: 'none', id: this.#id };
  }
}

function rsaKey(variable: string, read: () => KeyObject): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_BITS) return key;
  } catch {
    // said below, without what the file holds
  }
  throw new SettingsError([`${variable}: this is not an RSA key of ${MIN_BITS} bits or more in PEM`]);
}
