// Standalone, as `npm start` runs it once it is built and bundled.
import { AgentClient, SandboxClient } from '@agent-wallet/standalone';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { STANDALONE } from '../../bundle.mjs';
import { root } from '../../process.mjs';
import { closing } from '../measure/closing.mjs';
import { openRecipients, pour } from '../world.mjs';

const EMAIL = 'agent@agents.example';

/** Starts it on a directory; an agent logs in, gets money and sends some. */
export async function startProduct(directory) {
  const adminPort = await freePort();
  const { app, url } = await startStandalone(environmentOf(directory, adminPort));
  const sandbox = new SandboxClient(`http://127.0.0.1:${adminPort}`);
  return {
    confirmed: await firstTransfer(url, sandbox),
    pids: [app.pid],
    async stop() {
      app.kill('SIGTERM');
      await once(app, 'exit');
    },
  };
}

/** Without what it tells a person. */
async function startStandalone(env) {
  const options = { env, execArgv: ['--enable-source-maps'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] };
  const app = fork(path.join(root, STANDALONE), options);
  closing(app, () => app.kill('SIGTERM'));
  const failed = once(app, 'exit').then(() => Promise.reject(new Error('standalone ended before it was ready')));
  const [{ address }] = await Promise.race([once(app, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  return { app, url: address };
}

function environmentOf(directory, adminPort) {
  const parts = ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP'].map((part) => [`SANDBOX_${part}_PORT`, '0']);
  const ports = { PORT: '0', ...Object.fromEntries(parts) };
  const place = { DATA_DIR: directory, SANDBOX_ADMIN_PORT: String(adminPort), SANDBOX_SLOT_MS: '0' };
  return { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'silent', ...ports, ...place };
}

/** The one address that standalone tells only to people. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function firstTransfer(url, sandbox) {
  const agent = await AgentClient.logIn(url, sandbox, EMAIL);
  const [to] = await openRecipients({ sandbox }, 1);
  await pour({ sandbox }, [agent.address], 'SOL', 1);
  await pour({ sandbox }, [agent.address], 'USDC', 100);
  const { status, body } = await agent.transfer({ to, amount: 0.5, mint: 'USDC' });
  return status === 200 && body.data.status === 'confirmed' ? 1 : 0;
}
