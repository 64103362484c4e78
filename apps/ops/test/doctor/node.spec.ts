import { TestScheduler } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';
import { NODE_CHECKS } from '../../src/doctor/node.js';
import { BLOCK_TIME_MS, type Reply, type ScriptedNode, SLOT, startScriptedNode } from './scripted-node.js';

const DAY_OF_SLOTS = 216_000;

let node: ScriptedNode;
beforeEach(async () => {
  node = await startScriptedNode();
});
afterEach(() => node.close());

async function examineNode({
  nowMs = BLOCK_TIME_MS,
  scheduler,
  ...settings
}: Record<string, unknown> & { nowMs?: number } = {}): Promise<Record<string, CheckResult>> {
  const environment = { SOLANA_RPC_URL: node.url, SOLANA_NETWORK: 'devnet', ...(settings as object) };
  const context = { environment, clock: { nowMs: () => nowMs } };
  const results = await examine(NODE_CHECKS, context, scheduler as TestScheduler | undefined);
  return Object.fromEntries(results.map((result) => [result.name, result]));
}

describe('checks of the node', () => {
  it('report a healthy node of the right network as ok', async () => {
    const results = await examineNode();
    expect(Object.values(results).map(({ status, advice }) => [status, advice])).toEqual(Array(5).fill(['ok', null]));
    expect(results['network']).toMatchObject({ area: 'node', found: `devnet, at ${node.url}` });
  });

  it('are skipped without SOLANA_RPC_URL, which they name', async () => {
    const results = Object.values(await examineNode({ SOLANA_RPC_URL: '' }));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('skipped'));
    expect(results[0]).toMatchObject({ found: 'not set: SOLANA_RPC_URL', advice: null });
  });

  it('fail when the node belongs to another network than SOLANA_NETWORK', async () => {
    const { network } = await examineNode({ SOLANA_NETWORK: 'mainnet-beta' });
    expect(network).toMatchObject({
      status: 'fail',
      found: `${node.url} is devnet, but SOLANA_NETWORK is mainnet-beta`,
    });
  });

  it('name the setting that is malformed, and not its value', async () => {
    const { health } = await examineNode({ SOLANA_RPC_URL: 'ftp://node.example/?api-key=secret' });
    expect(health).toMatchObject({ status: 'fail', found: expect.stringContaining('SOLANA_RPC_URL: must be a URL') });
    expect(JSON.stringify(health)).not.toContain('secret');
  });

  const unhealthy = (message: string, data?: object): Reply => ({ error: { code: -32_005, message, data } });
  it.each([
    [unhealthy('Node is behind by 42 slots', { numSlotsBehind: 42 }), 'warn', '42 slots behind its cluster'],
    [unhealthy('Node is behind by 151 slots', { numSlotsBehind: 151 }), 'fail', '151 slots behind its cluster'],
    [unhealthy('Node is unhealthy'), 'fail', 'unhealthy: Node is unhealthy'],
    [{ status: 401 } as const, 'fail', 'the node answered with HTTP status 401'],
  ])('judge the health %j as %s', async (reply, status, found) => {
    node.replies['getHealth'] = reply;
    const { health } = await examineNode();
    expect(health).toMatchObject({ status, found, advice: expect.stringContaining('docs/runbooks/') });
  });

  it.each([
    [SLOT - DAY_OF_SLOTS, 'ok', 'keeps blocks of about 24 hours'],
    [SLOT - DAY_OF_SLOTS / 2, 'warn', 'keeps blocks of about 12 hours'],
  ])('judge a history since slot %i as %s', async (first, status, found) => {
    node.replies['getFirstAvailableBlock'] = { result: first };
    expect((await examineNode())['history']).toMatchObject({ status, found });
  });

  it.each([
    [10_000, 'ok', 'this machine is 10 s ahead of the newest block'],
    [11_000, 'warn', 'this machine is 11 s ahead of the newest block'],
    [-11_000, 'warn', 'this machine is 11 s behind the newest block'],
    [61_000, 'fail', 'this machine is 61 s ahead of the newest block'],
    [-61_000, 'fail', 'this machine is 61 s behind the newest block'],
  ])('judge a clock that differs by %i ms as %s', async (aheadMs, status, found) => {
    expect((await examineNode({ nowMs: BLOCK_TIME_MS + aheadMs }))['clock']).toMatchObject({ status, found });
  });

  it('fail when the WebSocket does not open, with the reason and without the key', async () => {
    const wsUrl = `${node.url.replace('http', 'ws')}/nowhere?api-key=secret`;
    const { websocket } = await examineNode({ SOLANA_WS_URL: wsUrl });
    expect(websocket).toMatchObject({ status: 'fail', found: 'Unexpected server response: 400' });
  });

  it('hide the key of a URL that the node repeats in an error', async () => {
    node.replies['getHealth'] = { error: { code: -32_000, message: 'invalid api key: secret-42' } };
    const { health } = await examineNode({ SOLANA_RPC_URL: `${node.url}/?api-key=secret-42` });
    expect(health).toMatchObject({ status: 'fail', found: 'unhealthy: invalid api key: [secret]' });
  });

  it('fail after five seconds when the node does not respond', async () => {
    const scheduler = new TestScheduler();
    node.replies['getHealth'] = 'silence';
    const examined = examineNode({ scheduler });
    await scheduler.advance(5_000);
    expect((await examined)['health']).toMatchObject({ status: 'fail', found: 'no response within 5 s' });
  });
});
