import { afterAll, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDir, World } from './world.js';

const { dir, remove } = temporaryDir();

afterAll(remove);

/** Starts with this public key. @returns 'started', or the message of the failure */
function startWith(file: string, content?: string): Promise<string> {
  const publicKeyPath = path.join(dir, file);
  if (content !== undefined) writeFileSync(publicKeyPath, content);
  const env = { SANDBOX_EXCHANGE_KEY_ID: 'key', SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: publicKeyPath };
  return World.start(env).then(
    (world) => world.stop().then(() => 'started'),
    (error: Error) => error.message,
  );
}

it('a start with a key that cannot be used names the variable', async () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const otherKind = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const messages = [
    await startWith('missing.pem'),
    await startWith('no.pem', 'no key'),
    await startWith('ed.pem', otherKind),
  ];
  for (const message of messages) expect(message).toMatch(/^SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: ./);
});

it('a request without a key gets market data, and no account', async () => {
  const world = await World.start();
  const status = async (route: string) => (await fetch(world.sandbox.exchangeUrl + route)).status;
  expect([await status('/markets'), await status('/portfolio/balance'), await status('/account/limits')]).toEqual([
    200, 401, 401,
  ]);
  await world.stop();
});
