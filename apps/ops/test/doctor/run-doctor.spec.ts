import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runDoctor } from '../../src/doctor/run-doctor.js';
import { OPS_FILE, runOps } from '../../src/index.js';
import { BLOCK_TIME_MS, type ScriptedNode, startScriptedNode } from './scripted-node.js';

let folder: string;
let node: ScriptedNode;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'doctor-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  node = await startScriptedNode();
});
afterEach(() => node.close());

async function run(environment: Record<string, string>, ...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const all = { DATA_DIR: folder, PYTH_ENABLED: 'false', ...environment };
  const code = await runDoctor(args, all, (line) => lines.push(line), { nowMs: () => BLOCK_TIME_MS });
  return { code, printed: lines.join('\n') };
}

describe('npm run doctor', () => {
  it('ends with 0 and lists what is not set as skipped', async () => {
    const { code, printed } = await run({});
    expect([code, printed]).toEqual([0, expect.stringMatching(/^skipped +node: network +not set: SOLANA_RPC_URL/)]);
    expect(printed).toMatch(/\n1 ok, 0 warn, 0 fail, \d+ skipped$/);
  });

  it('ends with 0 when checks are ok or warn, and prints advice below a warning', async () => {
    node.replies['getFirstAvailableBlock'] = { result: 999_990 };
    const { code, printed } = await run({ SOLANA_RPC_URL: node.url, SOLANA_NETWORK: 'devnet' });
    expect(code).toBe(0);
    expect(printed).toMatch(/^ok +node: network +devnet, at http:/m);
    expect(printed).toMatch(/^warn +node: history .*\n +Use a node that keeps a day or more/m);
    expect(printed).toMatch(/\n7 ok, 1 warn, 0 fail, \d+ skipped$/);
  });

  it('ends with 1 when a check fails', async () => {
    const { code, printed } = await run({ SOLANA_RPC_URL: node.url, SOLANA_NETWORK: 'testnet' });
    expect([code, printed]).toEqual([1, expect.stringMatching(/^fail +node: network/)]);
  });

  it('prints one JSON document with --json', async () => {
    const { code, printed } = await run({ SOLANA_RPC_URL: node.url, SOLANA_NETWORK: 'testnet' }, '--json');
    const { checks, counts } = JSON.parse(printed) as { checks: object[]; counts: Record<string, number> };
    expect(code).toBe(1);
    expect(checks).toContainEqual({
      name: 'network',
      area: 'node',
      status: 'fail',
      found: `${node.url} is devnet, but SOLANA_NETWORK is testnet`,
      advice: expect.any(String),
    });
    expect(counts).toMatchObject({ ok: 7, warn: 0, fail: 1 });
  });

  it('reads the services of the standalone deployment in DATA_DIR', async () => {
    await writeFile(path.join(folder, OPS_FILE), JSON.stringify({ POLICY_ADDRESS: '127.0.0.1:1' }));
    const { printed } = await run({});
    await rm(path.join(folder, OPS_FILE));
    expect(printed).toMatch(/^skipped +services: policy +not set: TLS_CA_PATH, TLS_CLIENT_CERT_PATH/m);
  });

  it('prints no secret of a URL, whether checks pass or fail', async () => {
    const secretly = (url: string) => `${url.replace('://', '://secret-name:secret-password@')}/?api-key=secret-key`;
    const working = { SOLANA_RPC_URL: secretly(node.url), SOLANA_NETWORK: 'devnet' };
    const broken = Object.fromEntries(
      SECRET_URLS.map(([name, protocol]) => [name, secretly(`${protocol}://127.0.0.1:1`)]),
    );
    for (const environment of [working, { ...broken, SOLANA_NETWORK: 'devnet' }]) {
      for (const json of [[], ['--json']]) {
        const { printed } = await run(environment, ...json);
        expect(printed).toContain('127.0.0.1');
        expect(printed).not.toMatch(/secret-/);
      }
    }
  });

  it.each([
    [['--url', 'wallet.example'], '--url takes a URL that starts with https:// or http://.'],
    [['--verbose'], "Unknown option '--verbose'"],
    [['node'], "Unexpected argument 'node'"],
  ])('ends with 2 for a wrong command line: %s', async (args, problem) => {
    const { code, printed } = await run({}, ...args);
    expect([code, printed]).toEqual([2, expect.stringContaining(problem)]);
    expect(printed).toContain('Usage: npm run doctor');
    const inJson = await run({}, ...args, '--json');
    expect(inJson.code).toBe(2);
    expect(JSON.parse(inJson.printed)).toMatchObject({ error: { code: 'USAGE' } });
  });

  it('is a command of npm run ops, and explains itself with --help', async () => {
    const lines: string[] = [];
    const code = await runOps(['doctor', '--help'], {}, (line) => lines.push(line));
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('Usage: npm run doctor')]);
  });
});

/** Variables with a URL that may contain a secret. */
const SECRET_URLS = [
  ['SOLANA_RPC_URL', 'http'],
  ['SOLANA_RPC_URLS', 'http'],
  ['SOLANA_WS_URL', 'ws'],
  ['PUBLIC_URL', 'http'],
  ['JUPITER_BASE_URL', 'http'],
  ['KALSHI_BASE_URL', 'http'],
  ['SMTP_URL', 'smtp'],
] as const;
