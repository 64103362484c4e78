import { fileURLToPath } from 'node:url';

/** The signer's schema, and where its SQL lies. */
export const signerMigrations = {
  schema: 'signer',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
