import { signerV1 } from '@agent-wallet/contracts';
import { type Logger, openEveryReplica, type TlsIdentity } from '@agent-wallet/platform';

/** Responses of all signer replicas for one nonce. */
export interface SignerAttestations {
  readonly replicas: readonly signerV1.AttestResponse[];
  /** Number of replicas with an address and without a response. */
  readonly unanswered: number;
}

/** All replicas of the signer. */
export interface SignerReplicas {
  /** Asks every one of them, for ourselves or for a stranger. @param nonce 16 to 64 bytes */
  attest(nonce: Uint8Array, asker?: { readonly isPublic: boolean }): Promise<SignerAttestations>;
  close(): void;
}

/** A TPM takes up to a second for a quote, and serves one at a time. */
const DEADLINE_MS = 5_000;

/** Opens a channel to every replica behind an address: see PeerOptions of the platform. */
export function openSignerReplicas(options: {
  readonly address: string;
  readonly tls: Pick<TlsIdentity, 'client'>;
  readonly logger: Logger;
  /** Time limit of a replica. */
  readonly deadlineMs?: number;
}): SignerReplicas {
  const { address, tls, logger, deadlineMs = DEADLINE_MS } = options;
  const definition = signerV1.SignerServiceService;
  const signers = openEveryReplica({ definition, peer: { address, service: 'signer' }, tls });
  return {
    attest: async (nonce, { isPublic } = { isPublic: false }) => {
      const request = { nonce: Buffer.from(nonce), isPublic };
      const { answers, failures } = await signers.ask((signer) => signer.attest(request, { deadlineMs }));
      for (const err of failures)
        logger.warn({ event: 'attestation.replica_failed', err }, 'Signer replica gave no attestation');
      return { replicas: answers, unanswered: failures.length };
    },
    close: () => signers.close(),
  };
}
