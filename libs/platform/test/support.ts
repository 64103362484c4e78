import path from 'node:path';
import { loadTls, type TlsIdentity } from '../src/index.js';

/** A service's certificate and key in a folder of `createCertificates`. */
export function identity(directory: string, name: string): Promise<TlsIdentity> {
  const file = (suffix: string) => path.join(directory, suffix);
  return loadTls({ caPath: file('ca.pem'), certPath: file(`${name}.pem`), keyPath: file(`${name}.key`) });
}

export { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
export { openSchema, silent } from '../src/testing/migrated-database.js';
