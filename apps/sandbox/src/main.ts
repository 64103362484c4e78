import { startSandbox } from './start-sandbox.js';
import { sandboxSettings } from './settings.js';

const sandbox = await startSandbox(sandboxSettings());
const { rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl } = sandbox;
console.log(`The sandbox is ready.
  chain       ${rpcUrl} (WebSocket ${wsUrl})
  aggregator  ${aggregatorUrl}
  mail        ${smtpUrl}
  admin       ${adminUrl}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void sandbox.stop().then(() => process.exit(0));
  });
}
