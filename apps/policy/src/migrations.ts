import { fileURLToPath } from 'node:url';

/** Policy's schema, and where its migrations lie. */
export const policyMigrations = {
  schema: 'policy',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
