import { readSettings, setting } from '@agent-wallet/platform';
import { runMigrations } from '@agent-wallet/platform/migrations';
import { EVENT_LOG_MIGRATIONS, grantConsume, grantPublish } from './event-log-schema.js';

await runMigrations(EVENT_LOG_MIGRATIONS, async ({ pool }) => {
  const { EVENT_PUBLISHERS, EVENT_CONSUMER } = readSettings({
    EVENT_PUBLISHERS: setting.text().regex(/^\w{1,63}(,\w{1,63})*$/, 'must be names of roles, separated by commas'),
    EVENT_CONSUMER: setting.text().regex(/^\w{1,63}$/, 'must be the name of a role'),
  });
  const publish = EVENT_PUBLISHERS.split(',').map(grantPublish);
  await pool.query([...publish, grantConsume(EVENT_CONSUMER)].join('\n'));
});
