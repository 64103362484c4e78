import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { type Reply, type ScriptedNode, startScriptedNode } from '../testing/scripted-node.js';
import { HttpStatusError } from './http-post.js';
import { type JsonRpc, JsonRpcError, openJsonRpc } from './json-rpc.js';
import { readU64, ShapeError } from './shapes.js';

let node: ScriptedNode;
let rpc: JsonRpc;

async function nodeThatReplies(reply: Reply | (() => Reply), timeoutMs = 2_000): Promise<void> {
  node = await startScriptedNode(() => (typeof reply === 'function' ? reply() : reply));
  rpc = openJsonRpc({ url: `${node.url}/secret-path?api-key=secret-key`, timeoutMs });
}

async function failure(): Promise<AppError> {
  const error: unknown = await rpc.call('getSlot', [], (result) => result).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error('no AppError', { cause: error });
  return error;
}

afterEach(async () => {
  rpc.close();
  await node.close();
});

describe('a JSON-RPC node', () => {
  it('is asked for a method with parameters, and its result is read', async () => {
    await nodeThatReplies({ result: { slot: 7 } });
    await expect(rpc.call('getSlot', ['a', { b: 1 }], (result) => result)).resolves.toEqual({ slot: 7 });
    expect(node.calls).toEqual([{ method: 'getSlot', params: ['a', { b: 1 }] }]);
  });

  it('keeps every digit of a u64', async () => {
    await nodeThatReplies({ resultText: '18446744073709551615' });
    await expect(rpc.call('x', [], (result) => readU64(result, 'it'))).resolves.toBe(2n ** 64n - 1n);
  });

  it.each([
    ['a u64 that is too large', '18446744073709551616'],
    ['a negative number', '-1'],
    ['a fraction', '1.5'],
    ['a number beyond all numbers', '1e400'],
  ])('is not believed %s', async (_, resultText) => {
    await nodeThatReplies({ resultText });
    await expect(rpc.call('x', [], (result) => readU64(result, 'it'))).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
      cause: { name: 'ShapeError' },
    });
  });

  it.each<[string, Reply, string, object]>([
    [
      'its own error',
      { error: { code: -32005, message: 'behind', data: { numSlotsBehind: 9 } } },
      'UPSTREAM_ERROR',
      new JsonRpcError(-32005, 'behind', {}),
    ],
    ['too many requests', { status: 429 }, 'UPSTREAM_ERROR', new HttpStatusError(429)],
    ['a server error', { status: 500, body: 'oops' }, 'UPSTREAM_ERROR', new HttpStatusError(500)],
    ['a redirect', { status: 302 }, 'UPSTREAM_ERROR', new HttpStatusError(302)],
    ['no JSON', { status: 200, body: '<html>' }, 'UPSTREAM_ERROR', {}],
    ['an array', { status: 200, body: '[]' }, 'UPSTREAM_ERROR', new ShapeError('the answer is not an object')],
    [
      'the answer to another call',
      { status: 200, body: '{"id":77,"result":1}' },
      'UPSTREAM_ERROR',
      new ShapeError('the answer is to another call'),
    ],
    ['no result', { status: 200, body: '{"id":1}' }, 'UPSTREAM_ERROR', new ShapeError('the answer has no result')],
    ['a closed connection', 'hang up', 'UPSTREAM_ERROR', {}],
    ['half an answer', 'break off', 'UPSTREAM_ERROR', {}],
  ])('gives %s as an upstream error', async (_, reply, code, cause) => {
    await nodeThatReplies(reply);
    const error = await failure();
    expect(error.code).toBe(code);
    expect(error.cause).toMatchObject(cause);
  });

  it('is not waited for longer than the timeout', async () => {
    await nodeThatReplies('silence', 100);
    expect(await failure()).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      cause: { message: 'no answer within 100 ms' },
    });
  });

  it('is asked again when it closed a kept connection as we wrote, once', async () => {
    let calls = 0;
    await nodeThatReplies(() => {
      calls += 1;
      return calls === 2 ? 'hang up' : { result: calls };
    });
    const read = (result: unknown) => result;
    await expect(rpc.call('x', [], read)).resolves.toBe(1);
    await expect(rpc.call('x', [], read)).resolves.toBe(3);
  });

  it.each<[string, Reply]>([
    ['an answer', { status: 500 }],
    ['silence', 'silence'],
    ['a closed connection', 'hang up'],
  ])('never has its address in an error, after %s', async (_, reply) => {
    await nodeThatReplies(reply, 100);
    expect(inspect(await failure(), { depth: 20 })).not.toMatch(/secret/);
  });

  it('must be reached by http or https', () => {
    for (const url of ['ws://127.0.0.1/secret', 'secret']) {
      const open = () => openJsonRpc({ url, timeoutMs: 1 });
      expect(open).toThrow(/the (address of the )?node/);
      expect(open).not.toThrow(/secret/);
    }
  });
});

describe('a node that asks for a pause', () => {
  it('is not called before it is over', async () => {
    await nodeThatReplies({ status: 429, headers: { 'retry-after': '30' } });
    for (let call = 0; call < 3; call += 1) expect((await failure()).cause).toMatchObject({ status: 429 });
    expect(node.calls).toHaveLength(1);
  });

  it.each([[undefined], ['0'], ['-1'], ['soon']])('is called again at once when the header is %s', async (header) => {
    await nodeThatReplies({ status: 429, ...(header === undefined ? {} : { headers: { 'retry-after': header } }) });
    for (let call = 0; call < 2; call += 1) expect((await failure()).cause).toMatchObject({ status: 429 });
    expect(node.calls).toHaveLength(2);
  });
});
