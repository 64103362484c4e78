import { fileURLToPath } from 'node:url';

/** The swap service's schema, and where its migrations lie. */
export const swapMigrations = {
  schema: 'swap',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
