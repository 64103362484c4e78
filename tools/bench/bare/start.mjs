// The bare parts of a start, side by side: the sandbox, and an empty Nest application with a Postgres.
import { SandboxClient } from '@agent-wallet/standalone';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
// Not part of standalone's public face: how it starts a process.
import { startAppProcess } from '../../../apps/standalone/dist/app-processes/app-process.js';
import { closing } from '../../measuring/closing.mjs';
import { BareSender } from './clients.mjs';

/** The SDK still asks for block heights when it has confirmed, and a refusal would end this process. */
const SDK_REST_MS = 1_500;

const NEST = fileURLToPath(new URL('nest.mjs', import.meta.url));
const ANY_PORTS = Object.fromEntries(
  ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
);

/** Starts them on a directory, and sends one transfer by @solana/web3.js once all of them answer. */
export async function startBareParts(directory) {
  const [sandbox, nest] = await Promise.all([startSandbox(directory), startNest(path.join(directory, 'postgres'))]);
  const { rpcUrl, adminUrl } = sandbox.ready;
  const client = await BareSender.open({ rpcUrl, sandbox: new SandboxClient(adminUrl) }, 1);
  await client.send();
  return {
    confirmed: client.accepted,
    pids: [sandbox.pid, nest.pid],
    async stop() {
      await sleep(SDK_REST_MS);
      sandbox.signal('SIGTERM');
      nest.kill('SIGTERM');
      await Promise.all([sandbox.exited, once(nest, 'exit')]);
    },
  };
}

async function startSandbox(directory) {
  const environment = { SANDBOX_DATA_DIR: path.join(directory, 'sandbox'), SANDBOX_SLOT_MS: '0', ...ANY_PORTS };
  const sandbox = await startAppProcess('sandbox', environment);
  return closing(sandbox, () => sandbox.signal('SIGKILL'));
}

/** It stops its Postgres when we are gone. */
async function startNest(dataDir) {
  const child = closing(fork(NEST, [dataDir], { execArgv: ['--enable-source-maps'] }), () => child.kill('SIGTERM'));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the bare application ended')));
  await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  return child;
}
