import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { makeRootKey, readRootKey } from './root-key-file.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const AAD = Buffer.from('agent-wallet/software-vault/v1\0');
const ID_LABEL = 'agent-wallet/software-vault/id';
const ID_BYTES = 8;

/**
 * The vault for laptops and tests: seals under a root key that lies in a file. Whoever can read that file and the
 * database has every key. Its evidence proves nothing: it repeats what it was given.
 */
export class SoftwareVault implements Vault {
  #id = '';

  private constructor(private readonly path: string) {}

  /** @param path where the root key lies; made by the first `seal` @throws VaultError when what lies there is of no use */
  static async open(path: string): Promise<SoftwareVault> {
    const vault = new SoftwareVault(path);
    if (existsSync(path)) await vault.#withRootKey(readRootKey, () => undefined);
    return vault;
  }

  async seal(secret: Uint8Array): Promise<Buffer> {
    return this.#withRootKey(makeRootKey, (rootKey) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, rootKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(AAD);
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    });
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    return this.#withRootKey(readRootKey, (rootKey) => {
      try {
        return decrypt(Buffer.from(sealed), rootKey);
      } catch (cause) {
        throw new VaultError(
          `the file ${this.path} is not the one that the database's data key was sealed with; put that one back`,
          { cause },
        );
      }
    });
  }

  async evidence(binding: Uint8Array): Promise<Evidence> {
    return { format: 'software/v1', keyId: 'none', document: Buffer.from(binding) };
  }

  describe(): VaultDescription {
    return { driver: 'software', isolation: 'none', id: this.#id };
  }

  /** The root key is in memory for as long as it is worked with. */
  async #withRootKey<Result>(read: typeof readRootKey, work: (rootKey: Buffer) => Result): Promise<Result> {
    const rootKey = await read(this.path);
    try {
      this.#id = createHmac('sha256', rootKey).update(ID_LABEL).digest().subarray(0, ID_BYTES).toString('hex');
      return work(rootKey);
    } finally {
      rootKey.fill(0);
    }
  }
}

function decrypt(bytes: Buffer, rootKey: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, rootKey, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(AAD);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    decipher.final();
    return secret;
  } catch (error) {
    secret.fill(0);
    throw error;
  }
}
