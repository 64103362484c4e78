import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Evidence, VaultDescription } from '../../../ports/vault.js';
import { WrappingVault } from '../wrapping-vault.js';
import { makeRootKey, readRootKey } from './root-key-file.js';

const ID_LABEL = 'agent-wallet/software-vault/id';
const ID_BYTES = 8;

/**
 * The vault for laptops and tests: seals under a root key that lies in a file. A reader of that file and the
 * database has every key. Its evidence proves nothing: it repeats what it was given.
 */
export class SoftwareVault extends WrappingVault {
  protected readonly label = 'agent-wallet/software-vault/v1\0';
  protected readonly otherKey: string;
  #id = '';

  private constructor(private readonly path: string) {
    super();
    this.otherKey = `the file ${path} is not the one that the database's data key was sealed with; put that one back`;
  }

  /** @param path where the root key lies; made by the first `seal` @throws VaultError when what lies there is of no use */
  static async open(path: string): Promise<SoftwareVault> {
    const vault = new SoftwareVault(path);
    if (existsSync(path)) (await vault.wrappingKey('unseal')).fill(0);
    return vault;
  }

  async evidence(binding: Uint8Array): Promise<Evidence> {
    return { format: 'software/v1', keyId: 'none', document: Buffer.from(binding) };
  }

  describe(): VaultDescription {
    return { driver: 'software', isolation: 'none', id: this.#id };
  }

  protected async wrappingKey(use: 'seal' | 'unseal'): Promise<Buffer> {
    const rootKey = await (use === 'seal' ? makeRootKey : readRootKey)(this.path);
    this.#id = createHmac('sha256', rootKey).update(ID_LABEL).digest().subarray(0, ID_BYTES).toString('hex');
    return rootKey;
  }
}
