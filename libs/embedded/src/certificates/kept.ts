import { X509Certificate } from 'node:crypto';
import type { KeyPair } from './pem-pair.js';

/** A certificate with less left than this is not kept. */
const RENEWED_BEFORE_END_MS = 30 * 86_400_000;

/** The DNS names in a service's certificate. */
export function namesOf(service: string): string[] {
  return [service, 'localhost'];
}

/** Whether an authority's certificate holds for another month. */
export function isGoodAuthority(pair: KeyPair, nowMs: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  return certificate.ca && outlasts(certificate, nowMs);
}

/** Whether a certificate is this service's, of this authority, and holds for another month. */
export function isGoodService(
  pair: KeyPair,
  authority: KeyPair,
  expected: { service: string; nowMs: number },
): boolean {
  const certificate = new X509Certificate(pair.certificate);
  const names = namesOf(expected.service).map((name) => `DNS:${name}`);
  return (
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    certificate.subjectAltName === names.join(', ') &&
    outlasts(certificate, expected.nowMs)
  );
}

function outlasts({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && Date.parse(validTo) >= nowMs + RENEWED_BEFORE_END_MS;
}
