import { fileURLToPath } from 'node:url';

/**
 * The prediction service's schema, who owns it, and where its migrations lie. The owner migrates it; the service itself
 * works in it as another role, which can change nothing of the journal.
 */
export const predictionMigrations = {
  schema: 'prediction',
  owner: 'prediction_owner',
  directory: fileURLToPath(new URL('../db', import.meta.url)),
} as const;
