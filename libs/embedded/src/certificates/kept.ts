import { X509Certificate } from 'node:crypto';
import type { KeyPair } from './pem-pair.js';

/** A certificate with less left than this is not kept. */
const RENEWED_BEFORE_END_MS = 30 * 86_400_000;

/** A use of a certificate: at the end of a connection that answers, or at the one that calls. */
type CertificateUse = 'server' | 'client';

/** Names of the uses in a certificate's extended key usage. */
export const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** A certificate's owner and its use. */
export interface Leaf {
  readonly service: string;
  readonly use: CertificateUse;
}

/** Returns the DNS names in a service's certificate. */
export function namesOf(service: string): string[] {
  return [service, 'localhost'];
}

/** Reports whether an authority's certificate stays valid for another month. */
export function isGoodAuthority(pair: KeyPair, nowMs: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  return certificate.ca && outlasts(certificate, nowMs);
}

/** Reports whether a certificate is of this service, use and authority, and stays valid for another month. */
export function isGoodLeaf(pair: KeyPair, authority: KeyPair, expected: Leaf & { nowMs: number }): boolean {
  const certificate = new X509Certificate(pair.certificate);
  const names = namesOf(expected.service).map((name) => `DNS:${name}`);
  return (
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    certificate.subjectAltName === names.join(', ') &&
    certificate.keyUsage?.join() === PURPOSES[expected.use] &&
    outlasts(certificate, expected.nowMs)
  );
}

function outlasts({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && Date.parse(validTo) >= nowMs + RENEWED_BEFORE_END_MS;
}
