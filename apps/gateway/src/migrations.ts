import { fileURLToPath } from 'node:url';

/** The gateway's schema, and where its migrations lie. */
export const gatewayMigrations = {
  schema: 'gateway',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
