import type { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';
import { assertionInvalid } from '../../domain/owners/rejected-assertion.js';
import { isWithoutAttestation, selfAttestationAlgorithm } from './self-attestation.js';

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
  crossOrigin: z.boolean().optional(),
  topOrigin: z.unknown().optional(),
});

const ATTESTATION =
  'The attestation is not supported: it must be of the format none, or packed without certificates, in canonical CBOR. ' +
  'Use another authenticator, or request `attestation: "none"`.';

export type RegistrationMessage = z.output<typeof registrationShape>;
export type AssertionMessage = z.output<typeof assertionShape>;

/** @throws AppError ASSERTION_INVALID */
export function readRegistrationMessage(json: string): RegistrationMessage {
  const message = read(registrationShape, json);
  // Any other format makes the library read certificates, and fetch what they name.
  const attestation = bytesOf(message.response.attestationObject);
  if (!isWithoutAttestation(attestation) && !selfAttestationAlgorithm(attestation)) throw invalid(ATTESTATION);
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
  const clientData = read(clientDataShape, bytesOf(clientDataJson).toString(), 'clientDataJSON');
  if (clientData.crossOrigin === true || clientData.topOrigin !== undefined) {
    throw invalid('The passkey was used inside a frame. Open the page of this wallet itself and retry.');
  }
  return bytesOf(clientData.challenge);
}

export function bytesOf(base64url: string): Buffer<ArrayBuffer> {
  return Buffer.from(base64url, 'base64url');
}

/** Returns ASSERTION_INVALID with what is wrong and what to do; the cause is for the log only. */
export function invalid(message: string, cause?: unknown): AppError {
  return assertionInvalid('message', message, cause);
}

const SEND_AS_IS = 'Send what the browser returns.';

function read<Shape extends z.ZodType>(shape: Shape, json: string, name = 'passkey response'): z.output<Shape> {
  if (json.length > MAX_CHARACTERS) {
    throw invalid(`The ${name} has more than ${MAX_CHARACTERS} characters. ${SEND_AS_IS}`);
  }
  const parsed = shape.safeParse(parse(json, name));
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  throw invalid(`The ${name} is missing a valid ${field || 'JSON object'}. ${SEND_AS_IS}`, parsed.error);
}

function parse(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid(`The ${name} is not JSON. ${SEND_AS_IS}`, error);
  }
}

/** Returns the ID of a message's credential. @throws AppError ASSERTION_INVALID */
export function credentialIdOf({ rawId }: AssertionMessage | RegistrationMessage): Buffer {
  const id = bytesOf(rawId);
  if (id.length === 0 || id.length > MAX_CREDENTIAL_ID_BYTES)
    throw invalid(`The credential id must have 1 to ${MAX_CREDENTIAL_ID_BYTES} bytes. Use another authenticator.`);
  return id;
}
