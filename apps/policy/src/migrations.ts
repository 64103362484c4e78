import { fileURLToPath } from 'node:url';

/** Policy's schema, and where its migrations lie. */
export const policyMigrations = {
  schema: 'policy',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
