import { fileURLToPath } from 'node:url';

/** The wallet service's schema, and where its migrations lie. */
export const walletMigrations = {
  schema: 'wallet',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
