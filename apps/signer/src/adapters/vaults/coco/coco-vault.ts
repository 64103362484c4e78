import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { unwrap, wrap } from '../wrapping-key.js';
import type { GuestApi } from './guest-api.js';

const LABEL = 'agent-wallet/coco-vault/v1';

/**
 * Seals under a key of the confidential containers' key broker, which gives it to guests whose evidence its policy accepts.
 * The key is asked for at each use and wiped after it.
 */
export class CocoVault implements Vault {
  constructor(
    private readonly guest: GuestApi,
    private readonly resource: string,
    private readonly tee: string,
  ) {}

  seal(secret: Uint8Array): Promise<Buffer> {
    return this.#withKey((key) => wrap(key, secret, LABEL));
  }

  unseal(sealed: Uint8Array): Promise<Buffer> {
    return this.#withKey((key) => {
      try {
        return unwrap(key, sealed, LABEL);
      } catch (cause) {
        throw new VaultError(
          `the key broker's resource ${this.resource} is not the key that the data key was sealed under; put that one back`,
          { cause },
        );
      }
    });
  }

  /** The binding goes into the evidence as hex: 64 characters, which fit the report data of every TEE. */
  async evidence(binding: Uint8Array): Promise<Evidence> {
    const document = await this.guest.evidence(Buffer.from(binding).toString('hex'));
    return { format: 'coco/v1', keyId: `tee:${this.tee}`, document };
  }

  describe(): VaultDescription {
    const isolation = `confidential container (${this.tee}); its key broker gives the wrapping key`;
    return { driver: 'coco', isolation, id: `kbs:///${this.resource}` };
  }

  async #withKey<Result>(work: (key: Buffer) => Result): Promise<Result> {
    const key = await this.guest.wrappingKey();
    try {
      return work(key);
    } finally {
      key.fill(0);
    }
  }
}
