import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { unwrap, wrap } from '../wrapping-key.js';
import { makeRootKey, readRootKey } from './root-key-file.js';

const LABEL = 'agent-wallet/software-vault/v1\0';
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
    return this.#withRootKey(makeRootKey, (rootKey) => wrap(rootKey, secret, LABEL));
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    return this.#withRootKey(readRootKey, (rootKey) => {
      try {
        return unwrap(rootKey, sealed, LABEL);
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
