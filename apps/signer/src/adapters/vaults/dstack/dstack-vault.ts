import { hkdfSync } from 'node:crypto';
import type { Evidence, VaultDescription } from '../../../ports/vault.js';
import { WRAPPING_KEY_BYTES } from '../wrapping-key.js';
import { WrappingVault } from '../wrapping-vault.js';
import type { GuestAgent } from './guest-agent.js';

/** A quote speaks of 64 bytes: the binding, then zeros. */
const REPORT_DATA_BYTES = 64;

/**
 * Seals under a key that dstack derives for the app from its key management, which gives it to confidential VMs with this
 * app's measured compose file only.
 */
export class DstackVault extends WrappingVault {
  protected readonly label = 'agent-wallet/dstack-vault/v1';
  protected readonly otherKey: string;

  constructor(
    private readonly agent: GuestAgent,
    private readonly appId: string,
  ) {
    super();
    this.otherKey = `the data key was not sealed by the dstack app ${appId}; run the signer as the app that sealed it`;
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

  protected async wrappingKey(): Promise<Buffer> {
    const derived = await this.agent.deriveKey();
    const key = Buffer.from(hkdfSync('sha256', derived, Buffer.alloc(0), this.label, WRAPPING_KEY_BYTES));
    derived.fill(0);
    return key;
  }
}
