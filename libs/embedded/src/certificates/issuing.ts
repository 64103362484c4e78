// The certificate library finds its parts through reflection metadata, which must be there before it loads.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import type { KeyPair } from './pem-pair.js';

/** ECDSA over P-256: small, fast, and in every TLS stack. */
const SIGNATURE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const DAY_MS = 86_400_000;
const AUTHORITY_LIFETIME_MS = 730 * DAY_MS;
const SERVICE_LIFETIME_MS = 365 * DAY_MS;

/** A certificate with less left than this is not kept. */
const RENEWED_BEFORE_END_MS = 30 * DAY_MS;

/** Certificates hold from an hour ago, so that a clock somewhat behind ours accepts them. */
const BACKDATED_MS = 3_600_000;

const { digitalSignature, keyCertSign } = x509.KeyUsageFlags;

/** Makes a certificate authority that can sign services' certificates and nothing below them. */
export async function issueAuthority(nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...lifetime(nowMs, AUTHORITY_LIFETIME_MS),
    name: 'CN=Agent Wallet internal authority',
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

/** Makes a service's certificate, for both ends of a TLS connection. */
export async function issueService(authority: KeyPair, service: string, nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    ...lifetime(nowMs, SERVICE_LIFETIME_MS),
    subject: `CN=${service}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await signingKeyOf(authority),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension(namesOf(service).map((value) => ({ type: 'dns' as const, value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys.privateKey);
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

function namesOf(service: string): string[] {
  return [service, 'localhost'];
}

function lifetime(nowMs: number, lifetimeMs: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const serialNumber = randomBytes(16).toString('hex');
  return { serialNumber, notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs + lifetimeMs) };
}

function outlasts({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && Date.parse(validTo) >= nowMs + RENEWED_BEFORE_END_MS;
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(SIGNATURE, true, ['sign', 'verify']);
}

function signingKeyOf(authority: KeyPair): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(authority.privateKey).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, SIGNATURE, false, ['sign']);
}

function toPem(certificate: x509.X509Certificate, privateKey: webcrypto.CryptoKey): KeyPair {
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { certificate: `${certificate.toString('pem')}\n`, privateKey: key.toString() };
}
