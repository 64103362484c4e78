import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { CertificateFiles, type WatchOptions } from './certificate-files.js';

/** Where a service's certificate lies. */
export interface TlsPaths {
  /** The certificate authorities whose certificates are believed (PEM); several while one takes over from another. */
  readonly caPath: string;
  /** This service's certificate (PEM); its DNS names say who it is. */
  readonly certPath: string;
  /** Its private key (PEM). */
  readonly keyPath: string;
}

/** A certificate in use, for listening and for calling. */
export interface TlsIdentity {
  readonly server: ServerCredentials;
  readonly channel: ChannelCredentials;
}

/**
 * Opens a service's certificate. Both sides of every call present one. With a watch, connections that are made later use
 * what the files say then: see `CertificateFiles`.
 * @throws Error when the files cannot be used
 */
export async function loadTls(paths: TlsPaths, watch?: WatchOptions): Promise<TlsIdentity> {
  const files = await CertificateFiles.open(paths, watch);
  return {
    server: experimental.createCertificateProviderServerCredentials(files, files, true),
    channel: experimental.createCertificateProviderChannelCredentials(files, files),
  };
}
