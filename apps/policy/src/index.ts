import { fileURLToPath } from 'node:url';

export { type PolicySettings, policySettings } from './settings.js';
export { type PolicySeams, startPolicy } from './start.js';

/** Policy's schema, and where its migrations lie. */
export const policyMigrations = {
  schema: 'policy',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
