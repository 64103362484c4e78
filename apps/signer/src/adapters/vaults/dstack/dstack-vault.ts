import { hkdfSync } from 'node:crypto';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { unwrap, wrap, WRAPPING_KEY_BYTES } from '../wrapping-key.js';
import type { GuestAgent } from './guest-agent.js';

const LABEL = 'agent-wallet/dstack-vault/v1';

/** A quote speaks of 64 bytes: the binding, then zeros. */
const REPORT_DATA_BYTES = 64;

/**
 * Seals under a key that dstack derives for the app from its key management, which gives it to confidential VMs with this
 * app's measured compose file only. The key is asked for at each use and wiped after it.
 */
export class DstackVault implements Vault {
  constructor(
    private readonly agent: GuestAgent,
    private readonly appId: string,
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
          `the data key was not sealed by the dstack app ${this.appId}; run the signer as the app that sealed it`,
          { cause },
        );
      }
    });
  }

  async evidence(binding: Uint8Array): Promise<Evidence> {
    const reportData = Buffer.alloc(REPORT_DATA_BYTES);
    reportData.set(binding);
    const { quote, document } = await this.agent.quote(reportData);
    return { format: 'dstack-tdx/v1', keyId: quote.attestationKey.toString('hex'), document };
  }

  describe(): VaultDescription {
    return { driver: 'dstack', isolation: 'Intel TDX: a confidential VM of dstack', id: `app ${this.appId}` };
  }

  async #withKey<Result>(work: (key: Buffer) => Result): Promise<Result> {
    const derived = await this.agent.deriveKey();
    const key = Buffer.from(hkdfSync('sha256', derived, Buffer.alloc(0), LABEL, WRAPPING_KEY_BYTES));
    derived.fill(0);
    try {
      return work(key);
    } finally {
      key.fill(0);
    }
  }
}
