import type { policyV1 } from '@agent-wallet/contracts';
import type { z } from 'zod';
import type { RegisterPasskey } from '../../application/owners/register-passkey.js';
import { type ExactJson, integerNumber, isoTime } from '../../application/responses/exact-json.js';
import type { Owner } from '../../domain/owner-session.js';
import type { assertionField, registrationField } from '../schemas/owner-records.js';

/** Passkeys between browsers and policy, without what policy does not read. */

export function assertionJson({ id, rawId, type, response }: z.output<typeof assertionField>): string {
  const { clientDataJSON, authenticatorData, signature } = response;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, authenticatorData, signature } });
}

export function registrationJson({ id, rawId, type, response }: z.output<typeof registrationField>): string {
  const { clientDataJSON, attestationObject } = response;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, attestationObject } });
}

/** Shows a passkey as an owner sees it. */
export function passkeyResponse({ credentialId, addedAtMs }: policyV1.Passkey): ExactJson {
  return { id: credentialId.toString('base64url'), addedAt: isoTime(addedAtMs) };
}

/** ES256, EdDSA and RS256: those that policy verifies. */
const ALGORITHMS = [-7n, -8n, -257n];

/** Returns PublicKeyCredentialCreationOptionsJSON. */
export function creationOptions(
  owner: Owner,
  { challenge, rpId, expiresAtMs, passkeys }: Awaited<ReturnType<RegisterPasskey['options']>>,
): ExactJson {
  const id = Buffer.from(owner.id.replaceAll('-', ''), 'hex').toString('base64url');
  return {
    publicKey: {
      rp: { id: rpId, name: 'Agent Wallet' },
      user: { id, name: owner.email, displayName: owner.email },
      challenge: challenge.toString('base64url'),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg: integerNumber(alg) })),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: passkeys.map((each) => ({ type: 'public-key', id: each.credentialId.toString('base64url') })),
    },
    expiresAt: isoTime(expiresAtMs),
  };
}
