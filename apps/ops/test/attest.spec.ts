import { bindingOf, permitKeysHash, statementBytes } from '@agent-wallet/attestation';
import { toBase58 } from '@agent-wallet/contracts/audit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { runAttest } from '../src/attest/run-attest.js';

let folder: string;
let server: Server;
let url: string;
let unanswered = 0;
let status = 200;
/** What is answered instead, as often as it is taken. */
let flood: Buffer | undefined;
const file = (name: string) => path.join(folder, name);

/** What a deployment of one signer with a software vault answers. */
function answer(nonce: Buffer) {
  const [buildDigest, ephemeralKey, permitKey] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const permitKeys = [{ keyId: 'permit-1', publicKey: permitKey }];
  const said = { nonce, driver: 'software', isolation: 'none', buildDigest, ephemeralKey };
  const statement = statementBytes({ ...said, permitKeysHash: permitKeysHash(permitKeys) });
  const boundNonce = bindingOf(statement);
  const evidence = {
    format: 'software/v1',
    document: boundNonce.toString('base64'),
    statement: statement.toString('base64'),
  };
  const hashes = { boundNonce: boundNonce.toString('hex'), buildDigest: buildDigest.toString('hex') };
  const replica = { keyId: 'none', evidence, ...hashes, ephemeralKey: toBase58(ephemeralKey) };
  const data = { driver: 'software', isolation: 'none', replicas: [replica], unanswered };
  return { status: true, data: { ...data, permitKeys: [{ keyId: 'permit-1', publicKey: toBase58(permitKey) }] } };
}

function* endless(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk;
}

async function run(...args: string[]): Promise<{ code: number; said: string }> {
  const lines: string[] = [];
  const code = await runAttest(args, (line) => lines.push(line));
  return { code, said: lines.join('\n') };
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'attest-'));
  await writeFile(file('lenient.json'), '{"software":true}');
  await writeFile(file('strict.json'), `{"pkcs11":{"keys":["${'00'.repeat(32)}"]}}`);
  server = createServer((request, response) => {
    const nonce = Buffer.from(new URL(request.url!, 'http://x').searchParams.get('nonce')!, 'hex');
    response.writeHead(status);
    if (flood) Readable.from(endless(flood)).pipe(response);
    else response.end(JSON.stringify(answer(nonce)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  unanswered = 0;
  status = 200;
  flood = undefined;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

describe('npm run attest:verify', () => {
  it('asks with a nonce of its own, and says plainly that software proves nothing', async () => {
    const { code, said } = await run('--policy', file('lenient.json'), '--url', url);
    expect(code).toBe(0);
    expect(said).toContain('SOFTWARE MODE: nothing but a file guards the keys');
  });

  it('refuses software unless it is allowed, and a replica that gave no answer, and names the check', async () => {
    expect(await run('--policy', file('strict.json'), '--url', url)).toMatchObject({
      code: 1,
      said: expect.stringContaining('driver_not_accepted'),
    });
    unanswered = 1;
    const { code, said } = await run('--policy', file('lenient.json'), '--url', url);
    expect(code).toBe(1);
    expect(said).toContain('replica_missing: 1 of the replicas gave no answer');
  });

  it('verifies what was saved, for the nonce of that time and no other', async () => {
    const saved = file('saved.json');
    await run('--policy', file('lenient.json'), '--url', url, '--save', saved);
    expect((await run('--policy', file('lenient.json'), '--from', saved)).code).toBe(0);
    const other = await run('--policy', file('lenient.json'), '--from', saved, '--nonce', 'ab'.repeat(32));
    expect(other).toMatchObject({ code: 1, said: expect.stringContaining('wrong_binding') });
    await writeFile(file('bare.json'), JSON.stringify(answer(Buffer.alloc(32, 7))));
    expect((await run('--policy', file('lenient.json'), '--from', file('bare.json'))).code).toBe(2);
    const nonce = '07'.repeat(32);
    expect((await run('--policy', file('lenient.json'), '--from', file('bare.json'), '--nonce', nonce)).code).toBe(0);
  });

  it('prints the digest of a program', async () => {
    await writeFile(file('main.js'), 'run()');
    const { said } = await run('--build', file('main.js'));
    expect(said).toBe(createHash('sha256').update('run()').digest('hex'));
  });

  it('helps, and says what it could not check', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, said: expect.stringContaining('--policy FILE') });
    expect((await run('--url', url)).code).toBe(2);
    expect((await run('--policy', file('missing.json'), '--url', url)).code).toBe(2);
    expect((await run('--policy', file('lenient.json'), '--url', 'http://127.0.0.1:1')).code).toBe(2);
    expect((await run('--policy', file('lenient.json'), '--from', file('strict.json'), '--nonce', 'ab')).code).toBe(2);
    status = 503;
    expect(await run('--policy', file('lenient.json'), '--url', url)).toMatchObject({
      code: 2,
      said: expect.stringContaining('answered 503'),
    });
  });

  it('stops reading an answer that does not end', async () => {
    flood = Buffer.alloc(1_000_000, ' ');
    const { code, said } = await run('--policy', file('lenient.json'), '--url', url);
    expect([code, said]).toEqual([2, 'Not checked: the answer is longer than 33554432 bytes']);
  });
});
