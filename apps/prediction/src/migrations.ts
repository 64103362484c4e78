import { fileURLToPath } from 'node:url';

/**
 * The prediction service's schema, who owns it, and where its SQL lies: that of the outbox, that of operations, and its own. The owner migrates it; the service itself
 * works in it as another role, which can change nothing of the journal.
 */
export const predictionMigrations = {
  schema: 'prediction',
  owner: 'prediction_owner',
  // A bundle lies as deep as this file, so the paths hold there too.
  directory: ['../../../libs/events/db/outbox', '../../../libs/operations/db', '../db'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  ),
} as const;
