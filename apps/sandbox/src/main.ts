import { startSandbox } from './start-sandbox.js';
import { sandboxSettings } from './settings.js';

const sandbox = await startSandbox(sandboxSettings(process.env));
const { rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl } = sandbox;
if (process.send) {
  // A parent that let the system choose the ports; without it the sandbox is of no use.
  process.once('disconnect', stop);
  process.send({ ready: true, rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl });
} else {
  process.stdout.write(`The sandbox is ready.
  chain       ${rpcUrl} (WebSocket ${wsUrl})
  aggregator  ${aggregatorUrl}
  mail        ${smtpUrl}
  admin       ${adminUrl}
`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);

function stop(): void {
  void sandbox.stop().then(() => process.exit(0));
}
