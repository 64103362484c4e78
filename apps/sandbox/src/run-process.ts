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

function addressesOf({ rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl }: RunningSandbox): Record<string, string> {
  return { rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl };
}

function announcement({ rpcUrl, wsUrl, aggregatorUrl, smtpUrl, adminUrl }: RunningSandbox): string {
  return `The sandbox is ready.
  chain       ${rpcUrl} (WebSocket ${wsUrl})
  aggregator  ${aggregatorUrl}
  mail        ${smtpUrl}
  admin       ${adminUrl}
`;
}
