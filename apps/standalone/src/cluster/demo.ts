import { readSettings, setting } from '@agent-wallet/platform';
import { SandboxClient } from '../client/sandbox-client.js';
import { playDay } from '../demo/day.js';
import { runJob } from './run-job.js';

// The day of `npm run demo`, against a deployment that runs already.
const say = (line: string) => void process.stdout.write(`${line}\n`);
await runJob('demo', async () => {
  const { GATEWAY_URL, SANDBOX_ADMIN_URL } = readSettings({
    GATEWAY_URL: setting.url('http', 'https'),
    SANDBOX_ADMIN_URL: setting.url('http', 'https'),
  });
  await playDay({ baseUrl: GATEWAY_URL, sandbox: new SandboxClient(SANDBOX_ADMIN_URL), say });
  say('everything was as it should be');
});
