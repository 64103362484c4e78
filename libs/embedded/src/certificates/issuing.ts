// The certificate library finds its parts through reflection metadata, which must be there before it loads.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { type Leaf, namesOf, PURPOSES } from './kept.js';
import type { KeyPair } from './pem-pair.js';

/** ECDSA over P-256: small, fast, and in every TLS stack. */
const SIGNATURE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const DAY_MS = 86_400_000;
const AUTHORITY_LIFETIME_MS = 730 * DAY_MS;
const SERVICE_LIFETIME_MS = 365 * DAY_MS;

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

/** Makes a service's certificate for one end of a TLS connection. */
export async function issueLeaf(authority: KeyPair, { service, use }: Leaf, nowMs: number): Promise<KeyPair> {
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
      new x509.ExtendedKeyUsageExtension([PURPOSES[use]]),
      new x509.SubjectAlternativeNameExtension(namesOf(service).map((value) => ({ type: 'dns' as const, value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

function lifetime(nowMs: number, lifetimeMs: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const serialNumber = randomBytes(16).toString('hex');
  return { serialNumber, notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs + lifetimeMs) };
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
