import { readSettings, setting } from '@agent-wallet/platform';
import { whenReady } from './when-ready.js';
import { provide } from './provide.js';
import { openKubernetesApi, runJob } from './run-job.js';
import { makeSchemas } from './schemas-of-services.js';

// What operators do in production, once and for imaginary money: certificates, keys and passwords as Secrets, then roles and
// schemas in the Postgres that has waited for its superuser's password. What exists stays.
await runJob('provision', async (logger) => {
  const { DATA_DIR, DATABASE_URL, SMTP_ADDRESS, WAIT_SECONDS } = readSettings({
    DATA_DIR: setting.path(),
    DATABASE_URL: setting.postgres(),
    SMTP_ADDRESS: setting.address(),
    WAIT_SECONDS: setting.integer({ min: 0, max: 3_600 }).default(120),
  });
  await provide({ api: openKubernetesApi(), directory: DATA_DIR, smtpUrl: `smtp://${SMTP_ADDRESS}`, logger });
  await whenReady(() => makeSchemas(DATABASE_URL, DATA_DIR), { withinMs: WAIT_SECONDS * 1_000, logger });
  logger.info({ event: 'schemas.provisioned' }, 'Roles and schemas ready');
});
