import { createLogger, runProcess } from '@agent-wallet/platform';
import { consoleSettings, startConsole } from './index.js';

await runProcess('console', () => {
  const settings = consoleSettings();
  return startConsole(
    { address: settings.address, logger: createLogger('console', settings.logLevel) },
    () => settings,
  );
});
