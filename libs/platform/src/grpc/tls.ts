import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { CertificateFiles, type TlsPaths, type WatchOptions } from './certificate-files.js';

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
