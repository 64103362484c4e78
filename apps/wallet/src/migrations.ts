import { fileURLToPath } from 'node:url';

/** The wallet service's schema, and where its migrations lie. */
export const walletMigrations = {
  schema: 'wallet',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
