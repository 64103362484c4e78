import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { grant, personOf } from './harness/connecting.js';
import { type Deployment, deploy } from './harness/deployment.js';

// The authorization server, by the scenarios of the official MCP conformance suite.

const LOADER = new URL('../../gateway/test/mcp-conformance/suite-loader.mjs', import.meta.url).href;
const MANIFEST = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const SUITE = path.join(path.dirname(MANIFEST), 'dist/index.js');
const CLIENT = { client_id: 'the-suite', client_name: 'The suite', redirect_uris: ['http://127.0.0.1/callback'] };

let deployment: Deployment;
let results: string;

beforeAll(async () => {
  results = mkdtempSync(path.join(os.tmpdir(), 'oauth-conformance-'));
  const environment = { OWNER_CONSOLE: 'true', OAUTH_CLIENTS: JSON.stringify([CLIENT]) };
  deployment = await deploy({ environment });
});
afterAll(async () => {
  await deployment.stop();
  rmSync(results, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves with the address that the suite wants a person to open. */
function addressShown(suite: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    suite.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [address] = /https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    suite.once('close', () => reject(new Error(`The suite showed no address:\n${output}`)));
  });
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function readChecks(): Check[] {
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('checks.json'),
  );
  return files.flatMap((file) => JSON.parse(readFileSync(path.join(results, file), 'utf8')) as Check[]);
}

it('passes every check of the suite', async () => {
  const who = await personOf(deployment);
  const port = await freePort();
  const given = ['--url', deployment.url(), '--client-id', CLIENT.client_id, '--port', String(port)];
  const args = ['--import', LOADER, SUITE, 'authorization', ...given, '--output-dir', results];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(suite, 'close');
  const page = await fetch(await addressShown(suite), { redirect: 'manual' });
  const back = await grant(who, page);
  expect((await fetch(back)).status).toBe(200);
  await closed;
  const checks = readChecks();
  expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
  expect(checks.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['authorization-server-metadata', 'authorization-code-grant']),
  );
});
