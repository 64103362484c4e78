import { fileURLToPath } from 'node:url';

export { type HistorySettings, historySettings } from './settings.js';
export { type HistorySeams, startHistory } from './start.js';

/** History's schema, and where its migrations lie. */
export const historyMigrations = {
  schema: 'history',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
