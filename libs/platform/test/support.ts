import path from 'node:path';
import { loadTls, type TlsIdentity } from '../src/index.js';

/** A service's certificates and keys in a folder of `createCertificates`. */
export function identity(directory: string, name: string): Promise<TlsIdentity> {
  const file = (suffix: string) => path.join(directory, suffix);
  const leaf = (base: string) => ({ certPath: file(`${base}.pem`), keyPath: file(`${base}.key`) });
  return loadTls({ caPath: file('ca.pem'), server: leaf(name), client: leaf(`${name}-client`) });
}

export { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
export { openSchema, silent } from '../src/testing/migrated-database.js';
