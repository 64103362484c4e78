import { fileURLToPath } from 'node:url';

/**
 * History's schema, who owns it, and where its SQL lies. The owner migrates it; the service itself works in it as
 * another role, which adds to the log and can change nothing of it.
 */
export const historyMigrations = {
  schema: 'history',
  owner: 'history_owner',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
