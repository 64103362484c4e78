import { runProcess } from '@agent-wallet/platform';
import { announce } from './announce.js';
import { explainStart } from './explain-start.js';
import { asProcesses } from './processes/as-processes.js';
import { certificatesLine, describeProcesses } from './processes/describe-processes.js';
import { processesSettings } from './settings.js';
import { startStandalone } from './start-standalone.js';

await runProcess('standalone', () =>
  explainStart(async () => {
    const { database, stream, ...settings } = processesSettings(process.env);
    const running = await startStandalone(settings, asProcesses(database));
    const described = await describeProcesses(running, database, stream);
    return announce(running, [...described, certificatesLine(settings.dataDir)]);
  }),
);
