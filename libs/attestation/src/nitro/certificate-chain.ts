import { type KeyObject, X509Certificate } from 'node:crypto';
import { AttestationRefused } from '../attestation-refused.js';
import { type CertificateConstraints, constraintsOf } from './certificate-constraints.js';
import type { NitroDocument } from './nitro-document.js';
import { malformed } from './plain-cbor.js';

/** Requirements for a chain of certificates. */
interface ChainExpectation {
  /** SHA-256 of the root's DER, in hex. */
  readonly rootSha256: string;
  /** Time at which every certificate must be valid, in Unix milliseconds. */
  readonly nowMs: number;
}

const CURVE = 'secp384r1';

/**
 * Follows a document's certificates up to the pinned root, as AWS's specification asks (3.2.3): each is issued by the next
 * one, valid, and made for what it does.
 * @returns the key that signs the document
 * @throws AttestationRefused `malformed`, `unknown_key`, `expired_chain`
 */
export function verifyChain(document: NitroDocument, { rootSha256, nowMs }: ChainExpectation): KeyObject {
  const chain = [document.certificate, ...document.authorities.toReversed()].map(parse);
  const root = chain.at(-1)!.certificate;
  if (fingerprintOf(root) !== rootSha256.toLowerCase()) {
    throw unknownKey(`its chain ends at a root that is not trusted, with SHA-256 ${fingerprintOf(root)}`);
  }
  chain.forEach((link, depth) => {
    const issuer = chain[depth + 1]?.certificate ?? root;
    if (!link.certificate.checkIssued(issuer) || !link.certificate.verify(issuer.publicKey)) {
      throw unknownKey(`certificate ${depth} is not issued by the one above it`);
    }
    requireFitness(link, depth);
  });
  chain.forEach(({ certificate }) => requireValidity(certificate, nowMs));
  return chain[0]!.certificate.publicKey;
}

/** Returns the SHA-256 of a certificate's DER, in hex. */
function fingerprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

interface Link {
  readonly certificate: X509Certificate;
  readonly constraints: CertificateConstraints;
}

function parse(der: Buffer): Link {
  try {
    const certificate = new X509Certificate(der);
    return { certificate, constraints: constraintsOf(certificate) };
  } catch (cause) {
    throw malformed('a certificate cannot be read', { cause });
  }
}

function requireValidity({ validFrom, validTo }: X509Certificate, nowMs: number): void {
  if (Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo)) return;
  throw new AttestationRefused(
    'expired_chain',
    `a certificate is valid from ${validFrom} to ${validTo}, not at the time at which it must be`,
  );
}

/** @param depth 0 for the one that signs documents; above it stand authorities */
function requireFitness({ certificate, constraints }: Link, depth: number): void {
  const { signsCertificates, signsDocuments, maxAuthoritiesBelow } = constraints;
  const isFit =
    depth === 0
      ? !certificate.ca && signsDocuments && maxAuthoritiesBelow === undefined
      : certificate.ca && signsCertificates && (maxAuthoritiesBelow ?? depth) >= depth - 1;
  if (!isFit) throw unknownKey(`certificate ${depth} is not made for what it does there`);
  const { publicKey } = certificate;
  if (publicKey.asymmetricKeyType !== 'ec' || publicKey.asymmetricKeyDetails?.namedCurve !== CURVE) {
    throw unknownKey(`certificate ${depth} is not of a P-384 key`);
  }
}

function unknownKey(why: string): AttestationRefused {
  return new AttestationRefused('unknown_key', why);
}
