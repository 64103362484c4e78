import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';
import { severalNodesChecks } from '../../src/doctor/several-nodes.js';
import { BLOCK_TIME_MS, type ScriptedNode, SLOT, startScriptedNode } from './scripted-node.js';

let node: ScriptedNode;
beforeEach(async () => {
  node = await startScriptedNode();
});
afterEach(() => node.close());

function examineNodes(urls: readonly string[], settings: Record<string, string> = {}): Promise<CheckResult[]> {
  const [SOLANA_RPC_URL = '', ...further] = urls;
  const environment = { SOLANA_RPC_URL, SOLANA_RPC_URLS: further.join(','), SOLANA_NETWORK: 'devnet', ...settings };
  return examine(severalNodesChecks(environment), { environment, clock: { nowMs: () => BLOCK_TIME_MS } });
}

/** Returns the result of the second node, which is the scripted one. */
async function examineSecond(settings: Record<string, string> = {}): Promise<CheckResult> {
  const urls = ['https://a.example', `${node.url}/secret-path?api-key=secret-key`, 'http://127.0.0.1:1'];
  const [, second] = await examineNodes(urls, settings);
  expect(JSON.stringify(second)).not.toMatch(/secret-/);
  expect(second).toMatchObject({ area: 'node', name: `2 at ${node.url}` });
  return second!;
}

describe('the check of the quorum', () => {
  const [a, b, c] = ['https://a.example/key', 'https://b.example', 'https://c.example'] as const;
  it.each([
    [[], 'skipped', 'not set: SOLANA_RPC_URL'],
    [[a], 'ok', 'one node, whose answers are believed'],
    [[a, b], 'warn', 'of two nodes both must agree'],
    [[a, b, c], 'ok', '2 of 3 nodes decide'],
    [[a, b, 'https://a.example:8443/other-key'], 'warn', 'several nodes are at a.example'],
    [[a, 'https://a.example/other'], 'warn', 'several nodes are at a.example; of two nodes both must agree'],
  ])('judges %j as %s', async (urls, status, found) => {
    const environment = { SOLANA_RPC_URL: urls[0] ?? '', SOLANA_RPC_URLS: urls.slice(1).join(',') };
    const [quorum] = severalNodesChecks(environment);
    expect(await examine([quorum!], { environment, clock: { nowMs: () => 0 } })).toMatchObject([{ status, found }]);
  });

  it('names the setting of a malformed list, and not its value', async () => {
    const [quorum, ...others] = await examineNodes([a, 'ftp://secret.example']);
    expect(quorum).toMatchObject({ status: 'fail', found: expect.stringContaining('SOLANA_RPC_URLS') });
    expect(JSON.stringify(quorum)).not.toContain('secret');
    expect(others).toEqual([]);
  });
});

describe('the check of a node of SOLANA_RPC_URLS', () => {
  it('reports network, health, history and clock in one line with its origin', async () => {
    expect(await examineSecond()).toMatchObject({
      status: 'ok',
      found:
        `devnet, at ${node.url}; healthy; keeps every block since the first; ` +
        'this machine is 0 s ahead of the newest block',
      advice: null,
    });
  });

  it('fails with the network that it belongs to', async () => {
    const { status, found } = await examineSecond({ SOLANA_NETWORK: 'testnet' });
    expect([status, found]).toEqual(['fail', expect.stringContaining(`${node.url} is devnet, but SOLANA_NETWORK is`)]);
  });

  it('takes the worst of its findings, and advises what to do', async () => {
    node.replies['getFirstAvailableBlock'] = { result: SLOT - 10 };
    expect(await examineSecond()).toMatchObject({ status: 'warn', advice: expect.stringContaining('keeps a day') });
    node.replies['getHealth'] = { error: { code: -32_005, message: 'behind', data: { numSlotsBehind: 151 } } };
    expect(await examineSecond()).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('151 slots behind its cluster; keeps blocks of about 0 hours'),
    });
  });

  it('fails with the reason when the node refuses every call, and hides a key that it repeats', async () => {
    node.reply = () => ({ error: { code: -32_000, message: 'invalid api key: secret-key' } });
    expect(await examineSecond()).toMatchObject({ status: 'fail', found: expect.stringContaining('[secret]') });
  });
});
