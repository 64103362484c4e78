import { readSettings, setting } from '@agent-wallet/platform';
import { runMigrations } from '@agent-wallet/platform/migrations';
import { EVENT_LOG_MIGRATIONS, grantConsume, grantPublish, grantRead } from './event-log-schema.js';

await runMigrations(EVENT_LOG_MIGRATIONS, async ({ pool }) => {
  const names = () => setting.text().regex(/^\w{1,63}(,\w{1,63})*$/, 'must be names of roles, separated by commas');
  const { EVENT_PUBLISHERS, EVENT_CONSUMER, EVENT_READERS } = readSettings({
    EVENT_PUBLISHERS: names(),
    EVENT_READERS: names().optional(),
    EVENT_CONSUMER: setting.text().regex(/^\w{1,63}$/, 'must be the name of a role'),
  });
  const publish = EVENT_PUBLISHERS.split(',').map(grantPublish);
  const read = EVENT_READERS?.split(',').map(grantRead) ?? [];
  await pool.query([...publish, grantConsume(EVENT_CONSUMER), ...read].join('\n'));
});
