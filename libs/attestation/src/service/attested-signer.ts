import type { Clock } from '@agent-wallet/kernel';
import type { Logger, TlsIdentity } from '@agent-wallet/platform';
import { attestSigner, type Signing } from './attested-boots.js';
import { openSignerReplicas, type SignerReplicas } from './signer-replicas.js';

/** All replicas of the signer, verified where the settings name what is accepted. */
export interface AttestedSigner extends SignerReplicas {
  /**
   * Wraps a signer so that it returns signatures only once the boot that countersigned them is attested. Returns the
   * signer unchanged where nothing is verified.
   */
  guard<Signer extends Signing>(signer: Signer): Signer;
}

/**
 * Opens every replica of the signer and verifies it, before anything else of a service starts.
 * @throws SettingsError when the policy's file cannot be used, or a replica is not accepted, or is missing
 */
export async function openAttestedSigner(options: {
  /** See PeerOptions of the platform. */
  readonly address: string;
  /** A file of what is accepted; nothing is verified without. */
  readonly policyPath: string | undefined;
  readonly tls: Pick<TlsIdentity, 'client'>;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<AttestedSigner> {
  const { address, policyPath, tls, clock, logger } = options;
  const signers = openSignerReplicas({ address, tls, logger });
  try {
    const boots = await attestSigner(policyPath, { signers, clock, logger });
    return { ...signers, guard: (signer) => boots?.guard(signer) ?? signer };
  } catch (error) {
    signers.close();
    throw error;
  }
}
