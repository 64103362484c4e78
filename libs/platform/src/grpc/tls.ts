import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { CertificateFiles, type TlsPaths, type TlsUse, type WatchOptions } from './certificate-files.js';

/** Certificates in use. */
export interface TlsIdentity {
  /** For listening. */
  readonly server: ServerCredentials;
  /** For calling. */
  readonly client: ChannelCredentials;
}

/**
 * Opens a service's certificates: for each use that the paths name. Both sides of every call present one. With a watch,
 * connections that are made later use what the files say then: see `CertificateFiles`.
 * @throws Error when the files cannot be used
 */
export async function loadTls<Paths extends Pick<TlsPaths, 'caPath'> & Partial<TlsPaths>>(
  { caPath, server, client }: Paths,
  watch?: WatchOptions,
): Promise<Pick<TlsIdentity, TlsUse & keyof Paths>> {
  const [served, called] = await Promise.all([
    server && CertificateFiles.open('server', { caPath, ...server }, watch),
    client && CertificateFiles.open('client', { caPath, ...client }, watch),
  ]);
  return {
    ...(served && { server: experimental.createCertificateProviderServerCredentials(served, served, true) }),
    ...(called && { client: experimental.createCertificateProviderChannelCredentials(called, called) }),
  } as Pick<TlsIdentity, TlsUse & keyof Paths>;
}
