import { runProcess } from '@agent-wallet/platform';
import { announce } from './announce.js';
import { explainStart } from './explain-start.js';
import { standaloneSettings } from './settings.js';
import { startStandalone } from './start-standalone.js';

await runProcess('standalone', () =>
  explainStart(async () => announce(await startStandalone(standaloneSettings(process.env)))),
);
