import { inspect } from 'node:util';
import { CannotListen } from './http/listen.js';
import { sandboxSettings, UnusableSettings } from './settings.js';
import { type RunningSandbox, startSandbox } from './start-sandbox.js';

/**
 * The body of `main.ts`: starts, says where everything is, and stops on SIGINT or SIGTERM. A start that fails prints what
 * to do and exits with 1.
 */
export async function runProcess(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  let sandbox: RunningSandbox;
  try {
    sandbox = await startSandbox(sandboxSettings(environment));
  } catch (error) {
    const isExplained = error instanceof CannotListen || error instanceof UnusableSettings;
    process.stderr.write(`${isExplained ? error.message : inspect(error)}\n`);
    process.exit(1);
  }
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
  const { rpcUrl, wsUrl, aggregatorUrl, liquidityUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl } = sandbox;
  return { rpcUrl, wsUrl, aggregatorUrl, liquidityUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl };
}

function announcement(sandbox: RunningSandbox): string {
  const { rpcUrl, wsUrl, aggregatorUrl, liquidityUrl, exchangeUrl, exchangeWsUrl, smtpUrl, adminUrl } = sandbox;
  return `The sandbox is ready.
  chain       ${rpcUrl} (WebSocket ${wsUrl})
  aggregator  ${aggregatorUrl}
  liquidity   ${liquidityUrl}
  exchange    ${exchangeUrl} (WebSocket ${exchangeWsUrl})
  mail        ${smtpUrl}
  admin       ${adminUrl}
`;
}
