import { X509Certificate } from 'node:crypto';
import type { KeyPair } from './pem-pair.js';

/** A certificate with less left than this is not kept. */
const RENEWED_BEFORE_END_MS = 30 * 86_400_000;

/** Returns the DNS names in a service's certificate. */
export function namesOf(service: string): string[] {
  return [service, 'localhost'];
}

/** Reports whether an authority's certificate stays valid for another month. */
export function isGoodAuthority(pair: KeyPair, nowMs: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  return certificate.ca && outlasts(certificate, nowMs);
}

/** Reports whether a certificate belongs to this service and authority, and stays valid for another month. */
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
