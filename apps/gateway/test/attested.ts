import { bindingOf, permitKeysHash, statementBytes } from '@agent-wallet/attestation';
import type { signerV1 } from '@agent-wallet/contracts';

/** What a replica of the signer says for a nonce. */
export function attested(nonce: Uint8Array, change: Partial<signerV1.AttestResponse> = {}): signerV1.AttestResponse {
  const said = {
    driver: 'software',
    isolation: 'none',
    buildDigest: Buffer.alloc(32, 1),
    ephemeralKey: Buffer.alloc(32, 2),
    permitKeys: [{ keyId: 'permit-1', publicKey: Buffer.alloc(32, 3) }],
    startedAtMs: 1_763_719_200_000n,
    ...{ evidenceFormat: 'software/v1', evidenceKeyId: 'none' },
    ...change,
  };
  const statement = statementBytes({ ...said, nonce, permitKeysHash: permitKeysHash(said.permitKeys) });
  const boundNonce = bindingOf(statement);
  return { ...said, boundNonce, evidence: change.evidence ?? boundNonce };
}
