import type { Evidence, VaultDescription } from '../../../ports/vault.js';
import { WrappingVault } from '../wrapping-vault.js';
import type { GuestApi } from './guest-api.js';

/** Seals under a key of the confidential containers' key broker, which gives it to guests whose evidence its policy accepts. */
export class CocoVault extends WrappingVault {
  protected readonly label = 'agent-wallet/coco-vault/v1';
  protected readonly otherKey: string;

  constructor(
    private readonly guest: GuestApi,
    private readonly resource: string,
    private readonly tee: string,
  ) {
    super();
    this.otherKey = `the key broker's resource ${resource} is not the key that the data key was sealed under; put that one back`;
  }

  /** Requests evidence with the binding as hex: 64 characters, which fit the report data of every TEE. */
  async evidence(binding: Uint8Array): Promise<Evidence> {
    const document = await this.guest.evidence(Buffer.from(binding).toString('hex'));
    return { format: 'coco/v1', keyId: `tee:${this.tee}`, document };
  }

  describe(): VaultDescription {
    const isolation = `confidential container (${this.tee}); its key broker gives the wrapping key`;
    return { driver: 'coco', isolation, id: `kbs:///${this.resource}` };
  }

  protected wrappingKey(): Promise<Buffer> {
    return this.guest.wrappingKey();
  }
}
