import { readSettings, setting } from '@agent-wallet/platform';
import { whenReady } from '../cluster/when-ready.js';
import { runJob } from '../cluster/run-job.js';
import { makeSchemas } from '../cluster/schemas-of-services.js';

const WITHIN_MS = 60_000;

// The database, and in it a role and a schema for every service, with the passwords that were made. What exists stays.
await runJob('schemas', async (logger) => {
  const { KEPT_DIR, DATABASE_URL } = readSettings({ KEPT_DIR: setting.path(), DATABASE_URL: setting.postgres() });
  await whenReady(() => makeSchemas(DATABASE_URL, KEPT_DIR), { withinMs: WITHIN_MS, logger });
  logger.info({ event: 'schemas.provisioned' }, 'Roles and schemas ready');
});
