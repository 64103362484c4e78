import { openAttestedSigner } from '@agent-wallet/attestation/service';
import type { Clock } from '@agent-wallet/kernel';
import { loadTls, type Logger, SettingsError } from '@agent-wallet/platform';
import type { PolicySettings } from '../settings.js';

/**
 * Verifies every replica of the signer, where the settings name what is accepted: a policy that starts permits signatures.
 * @throws SettingsError when one is not accepted, or is missing
 */
export async function verifySigner(
  { signerAddress: address, signerAttestationPolicyPath: policyPath, tls }: PolicySettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  if (policyPath === undefined) return;
  if (address === undefined) throw new SettingsError(['SIGNER_ADDRESS is required to verify the signer']);
  const signers = await openAttestedSigner({ address, policyPath, tls: await loadTls(tls), clock, logger });
  signers.close();
}
