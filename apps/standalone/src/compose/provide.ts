import { readSettings, setting } from '@agent-wallet/platform';
import { runJob } from '../cluster/run-job.js';
import { provideFiles } from './provide-files.js';

// Certificates, keys and passwords of a compose deployment, each in the volume of the service that needs it. What exists
// stays.
await runJob('provide', async (logger) => {
  const { KEPT_DIR, VOLUMES_DIR, ...given } = readSettings({
    KEPT_DIR: setting.path(),
    VOLUMES_DIR: setting.path(),
    SMTP_URL: setting.text(),
    JUPITER_API_KEY: setting.text().optional(),
    KALSHI_API_KEY_ID: setting.text().optional(),
  });
  await provideFiles({ keptDir: KEPT_DIR, volumesDir: VOLUMES_DIR, given, logger });
  logger.info({ event: 'secrets.provisioned' }, 'Certificates, keys and passwords ready');
});
