import type { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';
import { assertionInvalid } from '../../domain/owners/rejected-assertion.js';

/** Decoded passkey messages of browsers: JSON whose byte strings are base64url in its one canonical form. */

const MAX_CHARACTERS = 16_384;
const MAX_CREDENTIAL_ID_BYTES = 1_023;

const bytes = () =>
  z.string().refine((text) => Buffer.from(text, 'base64url').toString('base64url') === text, 'must be base64url');

const credential = { id: bytes(), rawId: bytes(), type: z.literal('public-key') };

const registrationShape = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes(), attestationObject: bytes() }),
});

const assertionShape = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes(), authenticatorData: bytes(), signature: bytes() }),
});

const clientDataShape = z.object({
  challenge: bytes(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.undefined().optional(),
});

/** The attestation object of the format none: a CBOR map whose statement is empty, up to the authenticator data. */
const NO_ATTESTATION = Buffer.concat([
  Buffer.from([0xa3, 0x63]),
  Buffer.from('fmt'),
  Buffer.from([0x64]),
  Buffer.from('none'),
  Buffer.from([0x67]),
  Buffer.from('attStmt'),
  Buffer.from([0xa0, 0x68]),
  Buffer.from('authData'),
]);

export type RegistrationMessage = z.output<typeof registrationShape>;
export type AssertionMessage = z.output<typeof assertionShape>;

/** @throws AppError ASSERTION_INVALID */
export function readRegistrationMessage(json: string): RegistrationMessage {
  const message = read(registrationShape, json);
  // Any other format makes the library read certificates, and fetch what they name.
  if (!bytesOf(message.response.attestationObject).subarray(0, NO_ATTESTATION.length).equals(NO_ATTESTATION)) {
    throw invalid('the attestation is not of the format none');
  }
  return message;
}

/** @throws AppError ASSERTION_INVALID */
export function readAssertionMessage(json: string): AssertionMessage {
  return read(assertionShape, json);
}

/**
 * Returns the challenge in client data that come from the console itself and no frame.
 * @throws AppError ASSERTION_INVALID
 */
export function challengeIn(clientDataJson: string): Buffer {
  return bytesOf(read(clientDataShape, bytesOf(clientDataJson).toString()).challenge);
}

export function bytesOf(base64url: string): Buffer<ArrayBuffer> {
  return Buffer.from(base64url, 'base64url');
}

/** Returns ASSERTION_INVALID; the cause is for the log only. */
export function invalid(cause: unknown): AppError {
  return assertionInvalid('message', cause);
}

function read<Shape extends z.ZodType>(shape: Shape, json: string): z.output<Shape> {
  if (json.length > MAX_CHARACTERS) throw invalid('the message is too long');
  const parsed = shape.safeParse(parse(json));
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid(error);
  }
}

/** Returns the ID of a message's credential. @throws AppError ASSERTION_INVALID */
export function credentialIdOf({ rawId }: AssertionMessage | RegistrationMessage): Buffer {
  const id = bytesOf(rawId);
  if (id.length === 0 || id.length > MAX_CREDENTIAL_ID_BYTES) throw invalid('the credential id has a wrong length');
  return id;
}
