import { CLIENT_TLS_VARIABLES, clientTls, readSettings, setting } from '@agent-wallet/platform';
import { FirstFunds } from '../services/attribute-funds.js';
import { JobError } from './job-error.js';
import { whenReady } from './when-ready.js';
import { runJob } from './run-job.js';

// Says once that what the sandbox's treasury and exchange account begin with is the operator's: no operation explains it.
await runJob('first-funds', async (logger) => {
  const read = readSettings({
    PREDICTION_ADDRESS: setting.address(),
    ...CLIENT_TLS_VARIABLES,
    WAIT_SECONDS: setting.integer({ min: 0, max: 3_600 }).default(300),
  });
  const funds = await FirstFunds.open(read.PREDICTION_ADDRESS, { ops: clientTls(read) }, 'job first-funds');
  const attribute = async () => {
    if (await funds.attribute()) return;
    throw new JobError('the ledger has not found all of the money yet: is the prediction service ready?');
  };
  try {
    await whenReady(attribute, { withinMs: read.WAIT_SECONDS * 1_000, logger });
  } finally {
    funds.close();
  }
  logger.info({ event: 'funds.attributed' }, 'Opening balances attributed to the operator');
});
