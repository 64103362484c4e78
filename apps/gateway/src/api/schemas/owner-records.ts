import { z } from 'zod';
import { address, time, uuid } from './units.js';

/** Bytes of a browser's passkey, of a bounded length. */
const encoded = (max: number, description: string) =>
  z
    .string('must be a string')
    .regex(new RegExp(`^[A-Za-z0-9_-]{1,${max}}={0,2}$`), 'must be base64url')
    .meta({ maxLength: max, description });

const MAX_ID = 1_400;
const MAX_PART = 12_000;
const MAX_LOGIN_DOCUMENT = 1_000;

/** Fields that browsers add and policy does not read. */
const unread = {
  authenticatorAttachment: z.unknown().optional().meta({ description: 'Not read.' }),
  clientExtensionResults: z.unknown().optional().meta({ description: 'Not read.' }),
};
const credential = {
  id: encoded(MAX_ID, 'The passkey.'),
  rawId: encoded(MAX_ID, 'The passkey.'),
  type: z.literal('public-key', 'must be public-key'),
};

/** The result of `navigator.credentials.get`, as `toJSON()` writes it. */
export const assertionField = z
  .strictObject({
    ...credential,
    response: z
      .strictObject({
        clientDataJSON: encoded(MAX_PART, 'What was signed.'),
        authenticatorData: encoded(MAX_PART, 'What the authenticator says.'),
        signature: encoded(MAX_PART, 'Over both.'),
        userHandle: z.unknown().optional().meta({ description: 'Not read.' }),
      })
      .meta({ id: 'PasskeyAssertionResponse' }),
    ...unread,
  })
  .meta({ id: 'PasskeyAssertion', description: 'AuthenticationResponseJSON of WebAuthn.' });

/** The result of `navigator.credentials.create`. */
export const registrationField = z
  .strictObject({
    ...credential,
    response: z
      .strictObject({
        clientDataJSON: encoded(MAX_PART, 'What was asked.'),
        attestationObject: encoded(MAX_PART, 'The new key.'),
        authenticatorData: z.unknown().optional().meta({ description: 'Not read.' }),
        publicKey: z.unknown().optional().meta({ description: 'Not read.' }),
        publicKeyAlgorithm: z.unknown().optional().meta({ description: 'Not read.' }),
        transports: z.unknown().optional().meta({ description: 'Not read.' }),
      })
      .meta({ id: 'PasskeyRegistrationResponse' }),
    ...unread,
  })
  .meta({ id: 'PasskeyRegistration', description: 'RegistrationResponseJSON of WebAuthn.' });

const ownerRecord = z.strictObject({ id: uuid(), email: z.string() }).meta({ id: 'Owner' });

/** `owner` of a session that was opened. */
export const openedOwner = z.strictObject({ owner: ownerRecord }).meta({ id: 'OpenedOwnerSession' });

export const mailedOwner = z
  .strictObject({
    owner: ownerRecord,
    passkeyRequired: z.boolean().meta({
      description:
        'Whether approving and loosening need a login by passkey: this session can view, freeze, evict, reject and tighten.',
    }),
  })
  .meta({ id: 'CompletedOwnerLogin' });

const passkeyRecord = z.strictObject({ id: z.string(), addedAt: time() }).meta({ id: 'Passkey' });

export const ownerResult = z
  .strictObject({
    owner: ownerRecord,
    authenticatedBy: z.enum(['mail', 'passkey']),
    authenticatedAt: time(),
    passkeys: z.array(passkeyRecord),
  })
  .meta({ id: 'OwnerResult' });

export const loginChallenge = z
  .strictObject({
    document: z.string().meta({ description: 'JSON to hash with SHA-256: the hash of these bytes is the challenge.' }),
    rpId: z.string(),
    expiresAt: time(),
  })
  .meta({ id: 'OwnerLoginChallenge' });

/** Goes back to policy byte by byte, which knows its own. */
export const loginDocumentField = z
  .string('must be a string')
  .min(1, 'must be the document of the login')
  .max(MAX_LOGIN_DOCUMENT, 'must be the document of the login')
  .meta({ description: '`document` of the challenge, unchanged.' });

const algorithm = z.int().meta({ id: 'CoseAlgorithm', description: 'An algorithm of COSE.' });
const credentialRecord = z.strictObject({ type: z.literal('public-key'), id: z.string() }).meta({ id: 'CredentialId' });

export const passkeyOptions = z
  .strictObject({
    publicKey: z
      .strictObject({
        rp: z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'RelyingParty' }),
        user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }).meta({ id: 'PasskeyUser' }),
        challenge: z.string(),
        pubKeyCredParams: z.array(
          z.strictObject({ type: z.literal('public-key'), alg: algorithm }).meta({ id: 'CredentialParameter' }),
        ),
        attestation: z.literal('none'),
        authenticatorSelection: z
          .strictObject({ residentKey: z.literal('required'), userVerification: z.literal('required') })
          .meta({ id: 'AuthenticatorSelection' }),
        excludeCredentials: z.array(credentialRecord),
      })
      .meta({ id: 'PasskeyCreationOptions', description: 'PublicKeyCredentialCreationOptionsJSON of WebAuthn.' }),
    expiresAt: time(),
  })
  .meta({ id: 'PasskeyOptions' });

export const ownedAgentRecord = z
  .strictObject({
    id: uuid(),
    email: z.string().nullable(),
    chainAddress: address().nullable(),
    role: z.string(),
    since: time('When the agent was claimed.'),
  })
  .meta({ id: 'OwnedAgent' });

export const ownedAgents = z.strictObject({ agents: z.array(ownedAgentRecord) }).meta({ id: 'OwnedAgents' });
