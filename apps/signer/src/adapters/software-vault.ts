import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Vault, VaultError } from '../ports/vault.js';
import { makeRootKey, readRootKey } from './root-key-file.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const AAD = Buffer.from('agent-wallet/software-vault/v1\0');

/**
 * The vault for laptops and tests: seals under a root key that lies in a file. Whoever can read that file and the
 * database has every key.
 */
export class SoftwareVault implements Vault {
  /** @param path where the root key lies; made by the first `seal` */
  constructor(private readonly path: string) {}

  async seal(secret: Uint8Array): Promise<Buffer> {
    const rootKey = await makeRootKey(this.path);
    try {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, rootKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(AAD);
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    } finally {
      rootKey.fill(0);
    }
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    const rootKey = await readRootKey(this.path);
    const bytes = Buffer.from(sealed);
    try {
      const decipher = createDecipheriv(CIPHER, rootKey, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(AAD);
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      decipher.final();
      return secret;
    } catch (cause) {
      throw new VaultError(
        `the file ${this.path} is not the one that the database's data key was sealed with; put that one back`,
        { cause },
      );
    } finally {
      rootKey.fill(0);
    }
  }

  describe() {
    return { driver: 'software', isolation: 'none' };
  }
}
