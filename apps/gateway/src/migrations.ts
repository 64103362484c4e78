import { fileURLToPath } from 'node:url';

/** The gateway's schema, and where its SQL lies: that of the outbox, and its own. */
export const gatewayMigrations = {
  schema: 'gateway',
  // A bundle lies as deep as this file, so the paths hold there too.
  directory: ['../../../libs/events/db/outbox', '../db'].map((place) => fileURLToPath(new URL(place, import.meta.url))),
} as const;
