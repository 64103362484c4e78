import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type NodeCall, type Reply, type ScriptedNode, startScriptedNode } from '../../testing/scripted-node.js';
import { transactionSignature } from '../../messages/transaction.js';
import { openNodes } from './open-nodes.js';

const SIGNED = new Uint8Array([1, ...new Uint8Array(64).fill(7), 128, 1, 0, 1]);
const SIGNATURE = transactionSignature(SIGNED);

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function start(reply: (call: NodeCall) => Reply): Promise<ScriptedNode> {
  const node = await startScriptedNode(reply);
  opened.push(node);
  return node;
}

/** Opens nodes with one further endpoint, whose URL holds a key. */
async function openWithSender(nodeReplies: readonly Reply[], senderReply: Reply) {
  const nodes = await Promise.all(nodeReplies.map((reply) => start(() => reply)));
  const reached = new EventTarget();
  const arrival = once(reached, 'call');
  const sender = await start(() => {
    reached.dispatchEvent(new Event('call'));
    return senderReply;
  });
  const warned = new EventTarget();
  const warnings: object[] = [];
  const warn = (fields: object, msg: string) => {
    warnings.push({ ...fields, msg });
    warned.dispatchEvent(new Event('warning'));
  };
  const chain = openNodes({
    rpcUrls: nodes.map(({ url }) => url),
    sendUrls: [`${sender.url}/secret-path?api-key=secret-key`],
    sendLog: { warn },
  });
  opened.unshift(chain);
  return { nodes, sender, arrival, chain, warnings, warning: () => once(warned, 'warning') };
}

describe('a further endpoint for sending', () => {
  it.each([1, 3])('gets a transaction once when %i nodes get it, and nothing else', async (count) => {
    const taken = { result: SIGNATURE };
    const { nodes, sender, arrival, chain, warnings } = await openWithSender(Array(count).fill(taken), taken);
    expect(await chain.send(SIGNED)).toEqual({ kind: 'accepted' });
    await chain.signatureStatus(SIGNATURE, { searchHistory: false }).catch(() => undefined);
    await chain.finalizedHead().catch(() => undefined);
    await arrival;
    const sent = sender.calls.map(({ method, params }) => [method, params]);
    expect(sent).toEqual([['sendTransaction', [Buffer.from(SIGNED).toString('base64'), expect.anything()]]]);
    for (const { calls } of nodes) expect(calls.filter(({ method }) => method === 'sendTransaction')).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Reply, object]>([
    ['is down', 'hang up', { outcome: 'unknown' }],
    ['limits the rate', { status: 429, headers: { 'retry-after': '9' } }, { reason: expect.stringContaining('429') }],
    [
      'repeats its key in an error',
      { error: { code: -32_602, message: 'invalid key: secret-key' } },
      { outcome: 'rejected', reason: 'JSON-RPC error -32602' },
    ],
  ])('that %s fails no send, and is logged by its host alone', async (_, reply, expected) => {
    const { chain, warnings, warning } = await openWithSender([{ result: SIGNATURE }], reply);
    const warned = warning();
    expect(await chain.send(SIGNED)).toEqual({ kind: 'accepted' });
    await warned;
    expect(warnings).toMatchObject([{ event: 'transaction.extra_send_failed', host: '127.0.0.1', ...expected }]);
    expect(JSON.stringify(warnings)).not.toContain('secret');
  });

  it('that takes what no node takes proves nothing', async () => {
    const { chain } = await openWithSender(['hang up'], { result: SIGNATURE });
    expect(await chain.send(SIGNED)).toMatchObject({ kind: 'unknown' });
  });

  it('that is silent holds up no send', async () => {
    const { chain } = await openWithSender([{ result: SIGNATURE }], 'silence');
    expect(await chain.send(SIGNED)).toEqual({ kind: 'accepted' });
  });
});
