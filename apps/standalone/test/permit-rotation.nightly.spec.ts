import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

/** Services read their folders every two seconds. */
const ALL_HAVE_READ_MS = 5_000;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const pem = (key: KeyObject, type: 'spki' | 'pkcs8') => key.export({ format: 'pem', type });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the permit key', () => {
  it('is exchanged while agents send money: nothing is refused, and nothing restarted', async () => {
    const { permitKeysPath, permitPublicKeysPath } = deployment.infrastructure.secrets;
    const agents = await Promise.all([0, 1].map(() => deployment.agent({ SOL: 5 })));
    const answers: number[] = [];
    let stopped = false;
    const sending = agents.map(async (agent) => {
      while (!stopped) {
        const { status } = await agent.transfer({ to: newRecipient(), amount: 0.002, mint: 'SOL' });
        answers.push(status);
        await wait(500);
      }
    });
    const rotate = async (next: string, before: string) => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      await writeFile(path.join(permitPublicKeysPath, `${next}.pem`), pem(publicKey, 'spki'));
      await wait(ALL_HAVE_READ_MS);
      await writeFile(path.join(permitKeysPath, `${next}.pem`), pem(privateKey, 'pkcs8'));
      await wait(ALL_HAVE_READ_MS);
      await rm(path.join(permitPublicKeysPath, `${before}.pem`));
      await rm(path.join(permitKeysPath, `${before}.pem`));
      await wait(ALL_HAVE_READ_MS);
    };
    await rotate('0002', '0001');
    await rotate('0003', '0002');
    stopped = true;
    await Promise.all(sending);
    expect(answers.length).toBeGreaterThan(10);
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});
