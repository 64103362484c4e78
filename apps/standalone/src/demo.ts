import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SandboxClient } from './client/sandbox-client.js';
import { playDay } from './demo/day.js';
import { standaloneSettings } from './settings.js';
import { startStandalone } from './start-standalone.js';

// The demo has a world of its own: any ports, and a folder that is gone afterwards.
const ANY_PORT = {
  PORT: '0',
  SANDBOX_RPC_PORT: '0',
  SANDBOX_AGGREGATOR_PORT: '0',
  SANDBOX_EXCHANGE_PORT: '0',
  SANDBOX_SMTP_PORT: '0',
  SANDBOX_ADMIN_PORT: '0',
};

const say = (line: string) => void process.stdout.write(`${line}\n`);
const dataDir = await mkdtemp(path.join(tmpdir(), 'agent-wallet-demo-'));
try {
  say('starting a world for the demo …');
  if (process.env['KAFKA_BROKERS'])
    say('KAFKA_BROKERS is not used: the events of the demo go through its own Postgres');
  const running = await startStandalone(
    standaloneSettings({ PATH: process.env['PATH'], ...ANY_PORT, DATA_DIR: dataDir }),
  );
  try {
    await playDay({ baseUrl: running.url, sandbox: new SandboxClient(running.adminUrl!), say });
    say('every step passed');
  } finally {
    await running.stop();
  }
} catch (error) {
  say(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
