import { fileURLToPath } from 'node:url';

export { type SignerSettings, signerSettings } from './settings.js';
export { type SignerSeams, startSigner } from './start.js';

/** The signer's schema, and where its migrations lie. */
export const signerMigrations = {
  schema: 'signer',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
