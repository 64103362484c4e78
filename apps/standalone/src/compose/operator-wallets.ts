import { CLIENT_TLS_VARIABLES, clientTls, readSettings, setting } from '@agent-wallet/platform';
import { whenReady } from '../cluster/when-ready.js';
import { runJob } from '../cluster/run-job.js';
import { SandboxClient } from '../client/sandbox-client.js';
import { walletsOf } from '../infrastructure/environment.js';
import { FUNDING_REQUIRED, fundSystemWallets, makeSystemWallets } from '../services/system-wallets.js';
import { SecretFiles } from './secret-files.js';

const WITHIN_MS = 120_000;

// The operator's wallets: the signer makes their keys or finds them, the faucet of a sandbox fills them, and policy and
// wallet get their addresses. With live upstreams the log says where to send money.
await runJob('operator-wallets', async (logger) => {
  const read = readSettings({
    SIGNER_ADDRESS: setting.address(),
    SANDBOX_ADMIN_URL: setting.url('http', 'https').optional(),
    ...CLIENT_TLS_VARIABLES,
    VOLUMES_DIR: setting.path(),
  });
  const patience = { withinMs: WITHIN_MS, logger };
  const wallets = await whenReady(() => makeSystemWallets(read.SIGNER_ADDRESS, { wallet: clientTls(read) }), patience);
  const { SANDBOX_ADMIN_URL: adminUrl } = read;
  if (adminUrl) await whenReady(() => fundSystemWallets(new SandboxClient(adminUrl), wallets), patience);
  else logger.warn({ event: 'operator_wallets.funding_required', ...wallets }, FUNDING_REQUIRED);
  const files = new SecretFiles(read.VOLUMES_DIR);
  for (const service of ['policy', 'wallet']) {
    await files.writeVariables(`${service}/operator-wallets.env`, walletsOf(wallets));
  }
  logger.info({ event: 'operator_wallets.configured', ...wallets }, 'Operator wallets configured');
});
