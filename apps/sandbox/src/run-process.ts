import { type RunningSandbox, startSandbox } from './start-sandbox.js';
import type { SandboxSettings } from './settings.js';

/** The body of `main.ts`: starts, says where everything is, and stops when told to. */
export async function runProcess(settings: SandboxSettings): Promise<void> {
  const sandbox = await startSandbox(settings);
  const stop = () => void sandbox.stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  if (process.send) {
    // A parent that let the system choose the ports; without it the sandbox is of no use.
    process.once('disconnect', stop);
    process.send({ ready: true, ...addressesOf(sandbox) });
  } else {
    process.stdout.write(announcement(sandbox));
  }
}

function addressesOf(sandbox: RunningSandbox): Record<string, string> {
  const { rpcUrl, wsUrl, aggregatorUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl } = sandbox;
  return { rpcUrl, wsUrl, aggregatorUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl };
}

function announcement(sandbox: RunningSandbox): string {
  const { rpcUrl, wsUrl, aggregatorUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl } = sandbox;
  return `The sandbox is ready.
  chain       ${rpcUrl} (WebSocket ${wsUrl})
  aggregator  ${aggregatorUrl}
  exchange    ${exchangeUrl} (WebSocket ${exchangeWsUrl})
  mail        ${smtpUrl}
  admin       ${adminUrl}
`;
}
