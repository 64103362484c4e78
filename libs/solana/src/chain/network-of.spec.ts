import { afterEach, describe, expect, it } from '@jest/globals';
import { type ScriptedNode, startScriptedNode } from '../testing/scripted-node.js';
import { networkOf } from './network-of.js';

let node: ScriptedNode;
afterEach(() => node.close());

describe('the network of a node', () => {
  it.each([
    ['mainnet-beta', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
    ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
    ['testnet', '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY'],
  ] as const)('is %s with its genesis hash', async (network, hash) => {
    node = await startScriptedNode((call) => ({ result: call.method === 'getGenesisHash' ? hash : null }));
    expect(await networkOf(node.url, 'sandbox')).toBe(network);
  });

  it.each([
    ['sandbox', 'sandbox'],
    ['localnet', 'localnet'],
    ['mainnet-beta', 'localnet'],
    ['devnet', 'localnet'],
  ] as const)('with an unknown genesis hash and %s in the settings is %s', async (expected, network) => {
    node = await startScriptedNode(() => ({ result: 'DJFsKjBLis7jFd5QpqjV4YbmGMFGfN93e8qhhzD3tsjr' }));
    expect(await networkOf(node.url, expected)).toBe(network);
  });

  it('is unknown when the node answers with something else', async () => {
    node = await startScriptedNode(() => ({ result: 1 }));
    await expect(networkOf(node.url, 'devnet')).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
