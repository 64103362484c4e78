import { timingSafeEqual } from 'node:crypto';
import { AttestationRefused } from '../attestation-refused.js';
import type { EvidenceVerifier } from '../evidence.js';
import { verifyChain } from './certificate-chain.js';
import { isSignedBy, readCoseSign1 } from './cose-sign1.js';
import { isDebugMode, type NitroDocument, readPayload } from './nitro-document.js';

/** SHA-256 of the DER of AWS's root certificate `aws.nitro-enclaves` (G1), as AWS publishes it; valid until 2049. */
export const AWS_NITRO_ROOT_SHA256 = '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b';

/** Requirements for a document. Each field that is given must match, byte by byte. */
export interface NitroExpectation {
  /** Time at which the chain of certificates must be valid, in Unix milliseconds. */
  readonly nowMs: number;
  /** SHA-256 of the root certificate's DER in hex; AWS's own when absent. */
  readonly rootSha256?: string;
  readonly nonce?: Uint8Array;
  readonly userData?: Uint8Array;
  readonly publicKey?: Uint8Array;
  /** Accepted registers, in hex by index: one of the values listed for each. */
  readonly pcrs?: NitroPcrs;
}

/** Index of a PCR → the values that it may have, in hex: the image before and after an update, for example. */
export type NitroPcrs = Readonly<Record<string, readonly string[]>>;

/**
 * Verifies an AWS Nitro attestation document: its form, its chain of certificates to a pinned root at a given time, its
 * signature, that it is not of debug mode, and that it says what is expected.
 * @param document COSE_Sign1 as the Nitro Security Module gives it; nothing in it is believed before it is verified
 * @throws AttestationRefused with the check that failed
 */
export function verifyNitroDocument(document: Uint8Array, expected: NitroExpectation): NitroDocument {
  const signed = readCoseSign1(document);
  const content = readPayload(signed.payload);
  const { nowMs, rootSha256 = AWS_NITRO_ROOT_SHA256 } = expected;
  const key = verifyChain(content, { nowMs, rootSha256 });
  if (!isSignedBy(signed, key)) {
    throw new AttestationRefused('wrong_signature', 'the document is not signed by the key of its certificate');
  }
  if (isDebugMode(content)) {
    throw new AttestationRefused('debug_mode', 'the enclave runs in debug mode: its PCRs 0 to 2 are not all measured');
  }
  requireGiven(content, expected);
  requirePcrs(content, expected.pcrs ?? {});
  return content;
}

/** A policy's requirements for Nitro enclaves. */
export interface AcceptedNitro {
  /** At least one register: without, every enclave of every customer of AWS would pass. */
  readonly pcrs: NitroPcrs;
  /** As in `NitroExpectation`. */
  readonly rootSha256?: string;
}

/**
 * Verifies evidence of the format `aws-nitro/v1`: a Nitro document whose `user_data` is the binding, signed under the root
 * that the evidence names as its key.
 */
export const verifyNitroEvidence: EvidenceVerifier<AcceptedNitro> = (evidence, { binding, nowMs }, accepted) => {
  const { pcrs, rootSha256 = AWS_NITRO_ROOT_SHA256 } = accepted;
  if (Object.keys(pcrs).length === 0) {
    throw new AttestationRefused('wrong_measurement', 'no PCR is named that an enclave must have');
  }
  verifyNitroDocument(evidence.document, { nowMs, rootSha256, userData: binding, pcrs });
  if (evidence.keyId !== rootSha256.toLowerCase()) {
    throw new AttestationRefused(
      'unknown_key',
      'the evidence names another root than the one that it was signed under',
    );
  }
};

function requireGiven(content: NitroDocument, expected: NitroExpectation): void {
  for (const field of ['nonce', 'userData', 'publicKey'] as const) {
    const wanted = expected[field];
    if (wanted !== undefined && !isSame(content[field], wanted)) {
      throw new AttestationRefused('wrong_binding', `the document was made for another ${NAMES[field]}`);
    }
  }
}

const NAMES = { nonce: 'nonce', userData: 'user_data', publicKey: 'public_key' } as const;

function requirePcrs(content: NitroDocument, accepted: NitroPcrs): void {
  for (const [index, values] of Object.entries(accepted)) {
    const measured = content.pcrs.get(Number(index))?.toString('hex') ?? 'nothing';
    if (!values.some((value) => value.toLowerCase() === measured)) {
      throw new AttestationRefused('wrong_measurement', `PCR ${index} is ${measured}, which is not accepted`);
    }
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
