import { CLIENT_TLS_VARIABLES, clientTls, readSettings, setting } from '@agent-wallet/platform';
import { SandboxClient } from '../client/sandbox-client.js';
import { fundSystemWallets, makeSystemWallets } from '../services/system-wallets.js';
import { writeOperatorWallets } from './operator-wallets-map.js';
import { whenReady } from './when-ready.js';
import { openKubernetesApi, runJob } from './run-job.js';

// The operator's wallets of a sandbox: the signer makes their keys or finds them, the faucet fills them, and a ConfigMap gives
// their addresses to the services that wait for it.
await runJob('operator-wallets', async (logger) => {
  const read = readSettings({
    SIGNER_ADDRESS: setting.address(),
    SANDBOX_ADMIN_URL: setting.url('http', 'https'),
    ...CLIENT_TLS_VARIABLES,
    WAIT_SECONDS: setting.integer({ min: 0, max: 3_600 }).default(120),
  });
  const patience = { withinMs: read.WAIT_SECONDS * 1_000, logger };
  const wallets = await whenReady(() => makeSystemWallets(read.SIGNER_ADDRESS, { wallet: clientTls(read) }), patience);
  logger.info({ event: 'operator_wallets.created', ...wallets }, 'Operator wallets have keys at the signer');
  await whenReady(() => fundSystemWallets(new SandboxClient(read.SANDBOX_ADMIN_URL), wallets), patience);
  await writeOperatorWallets(openKubernetesApi(), wallets);
  logger.info({ event: 'operator_wallets.configured', ...wallets }, 'Operator wallets funded and configured');
});
