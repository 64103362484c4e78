import { fileURLToPath } from 'node:url';

/** The wallet service's schema, and where its SQL lies: that of the outbox, that of operations, and its own. */
export const walletMigrations = {
  schema: 'wallet',
  // A bundle lies as deep as this file, so the paths hold there too.
  directory: ['../../../libs/events/db/outbox', '../../../libs/operations/db', '../db'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  ),
} as const;
