import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { readFile } from 'node:fs/promises';

/** Where a service's certificate lies. */
export interface TlsPaths {
  /** The certificate authority that signed every service's certificate (PEM). */
  readonly caPath: string;
  /** This service's certificate (PEM); its DNS names say who it is. */
  readonly certPath: string;
  /** Its private key (PEM). */
  readonly keyPath: string;
}

/** A loaded certificate, usable for listening and for calling. */
export interface TlsIdentity {
  readonly server: ServerCredentials;
  readonly channel: ChannelCredentials;
}

/** Loads a service's certificate. Both sides of every call present one. */
export async function loadTls(paths: TlsPaths): Promise<TlsIdentity> {
  const [ca, cert, key] = await Promise.all([paths.caPath, paths.certPath, paths.keyPath].map((p) => readFile(p)));
  return {
    server: ServerCredentials.createSsl(ca!, [{ cert_chain: cert!, private_key: key! }], true),
    channel: ChannelCredentials.createSsl(ca, key, cert),
  };
}
