import { permitKeysHash, statementBytes } from '@agent-wallet/attestation';
import type { signerV1, walletV1 } from '@agent-wallet/contracts';
import { toBase58 } from '@agent-wallet/contracts/audit';
import type { ExactJson } from './exact-json.js';

const SOFTWARE = 'software';
const MIXED = 'mixed';

/** Returns every signer replica's attestation for a nonce. Hashes are hexadecimal, documents base64, keys base58. */
export function attestationResponse(nonce: Uint8Array, { replicas, unanswered }: walletV1.GetAttestationResponse) {
  return {
    driver: driverOf(replicas),
    isolation: [...new Set(replicas.map(({ isolation }) => isolation))].sort().join('; '),
    replicas: replicas.map((replica) => replicaResponse(nonce, replica)),
    permitKeys: permitKeysOf(replicas),
    unanswered,
  } satisfies ExactJson;
}

/**
 * Returns the common driver of all replicas. A deployment is as weak as its weakest replica, so the software driver
 * takes precedence.
 */
function driverOf(replicas: readonly signerV1.AttestResponse[]): string {
  const drivers = [...new Set(replicas.map(({ driver }) => driver))];
  if (drivers.includes(SOFTWARE)) return SOFTWARE;
  return drivers.length === 1 ? drivers[0]! : MIXED;
}

function replicaResponse(nonce: Uint8Array, replica: signerV1.AttestResponse): ExactJson {
  const { boundNonce, buildDigest, ephemeralKey, permitKeys } = replica;
  const statement = statementBytes({ ...replica, nonce, permitKeysHash: permitKeysHash(permitKeys) });
  return {
    keyId: replica.evidenceKeyId,
    evidence: {
      format: replica.evidenceFormat,
      document: replica.evidence.toString('base64'),
      statement: statement.toString('base64'),
    },
    boundNonce: boundNonce.toString('hex'),
    buildDigest: buildDigest.toString('hex'),
    ephemeralKey: toBase58(ephemeralKey),
  };
}

/** Returns the permit keys of all replicas together; during a key rotation they differ for a few seconds. */
function permitKeysOf(replicas: readonly signerV1.AttestResponse[]): ExactJson {
  const keys = new Map(
    replicas.flatMap(({ permitKeys }) =>
      permitKeys.map(({ keyId, publicKey }) => {
        const text = toBase58(publicKey);
        return [`${keyId} ${text}`, { keyId, publicKey: text }] as const;
      }),
    ),
  );
  return [...keys.keys()].sort().map((name) => keys.get(name)!);
}
