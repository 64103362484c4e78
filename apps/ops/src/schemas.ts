import { fileURLToPath } from 'node:url';

const OUTBOX = '../../../libs/events/db/outbox';
const OPERATIONS = '../../../libs/operations/db';

/** Folders of the SQL of each service's schema besides its own folder. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  gateway: [OUTBOX],
  history: [],
  policy: [OUTBOX],
  prediction: [OUTBOX, OPERATIONS],
  signer: [],
  swap: [OUTBOX, OPERATIONS],
  wallet: [OUTBOX, OPERATIONS],
};

/** Folders of the SQL of each service's schema. A bundle lies as deep as this file, so the paths hold there too. */
export const SCHEMA_DIRECTORIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SHARED).map(([schema, shared]) => [
    schema,
    [...shared, `../../${schema}/db`].map((place) => fileURLToPath(new URL(place, import.meta.url))),
  ]),
);
