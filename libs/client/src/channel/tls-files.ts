import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

/** Paths of your certificate files. */
export interface TlsFiles {
  /** The authorities that issue the services' certificates (PEM). */
  readonly caPath: string;
  /** Your certificate (PEM); a DNS name in it says who calls. */
  readonly certPath: string;
  /** Its private key (PEM). */
  readonly keyPath: string;
}

/** Contents of the three files (PEM). */
export interface Identity {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws Error when a file is missing or broken, or certificate and key are not of each other */
export async function readIdentity({ caPath, certPath, keyPath }: TlsFiles): Promise<Identity> {
  const [ca, cert, key] = await Promise.all([readFile(caPath), readFile(certPath), readFile(keyPath)]);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`${keyPath} is not the key of ${certPath}`);
  }
  new X509Certificate(ca);
  createSecureContext({ ca, cert, key });
  return { ca, cert, key };
}

/** Reports whether two identities are equal, byte by byte. */
export function isSameIdentity(a: Identity, b: Identity): boolean {
  return a.ca.equals(b.ca) && a.cert.equals(b.cert) && a.key.equals(b.key);
}
