// A sandbox of the bare client's own: the exchange knows one account, and what others do there would be missing in the
// product's books.
import { SandboxClient } from '@agent-wallet/standalone';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
// Not part of standalone's public face: how it starts a process.
import { startAppProcess } from '../../../apps/standalone/dist/processes/app-process.js';
import { closing } from '../measure/closing.mjs';

const KEY_BITS = 2_048;
const KEY_ID = 'bare-buyer';
const ANY_PORTS = Object.fromEntries(
  ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
);

/** Starts it. @returns `{ rpcUrl, exchangeUrl, sandbox, key }`; the key signs requests to the exchange */
export async function openBareWorld(exchangeTier) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-buys-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
  const publicKeyPath = path.join(directory, 'exchange.pem');
  await writeFile(publicKeyPath, publicKey.export({ type: 'spki', format: 'pem' }));
  const world = await startAppProcess('sandbox', {
    ...ANY_PORTS,
    ...{ SANDBOX_DATA_DIR: path.join(directory, 'sandbox'), SANDBOX_SLOT_MS: '0', SANDBOX_EXCHANGE_TIER: exchangeTier },
    ...{ SANDBOX_EXCHANGE_KEY_ID: KEY_ID, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: publicKeyPath },
  });
  closing(world, () => world.signal('SIGKILL'));
  const { rpcUrl, exchangeUrl, adminUrl } = world.ready;
  const sandbox = new SandboxClient(adminUrl);
  await sandbox.setPrice({ freeze: true });
  return { rpcUrl, exchangeUrl, sandbox, key: { id: KEY_ID, privateKey } };
}
