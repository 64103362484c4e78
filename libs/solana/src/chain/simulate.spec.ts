import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VersionedTransaction } from '@solana/web3.js';
import { TOKEN_PROGRAM } from '../addresses/programs.js';
import { MalformedMessage } from '../messages/decode-message.js';
import { MINT } from '../testing/actors.js';
import { MESSAGE, mintBytes, RESULTS, WALLET } from '../testing/responses.js';
import { type Reply, type ScriptedNode, startScriptedNode } from '../testing/scripted-node.js';
import { openSolanaChain } from './open-solana-chain.js';
import type { SolanaChain } from './solana-chain.js';

const ACCOUNTS = [MINT.toBase58(), WALLET];
const GOOD = RESULTS.simulateTransaction as { context: object; value: Readonly<Record<string, unknown>> };

let node: ScriptedNode;
let chain: SolanaChain;
let reply: Reply;

beforeEach(async () => {
  reply = { result: GOOD };
  node = await startScriptedNode(() => reply);
  chain = openSolanaChain({ rpcUrl: node.url, timeoutMs: 5_000 });
});
afterEach(async () => {
  chain.close();
  await node.close();
});

const answer = (change: Readonly<Record<string, unknown>>) => {
  reply = { result: { ...GOOD, value: { ...GOOD.value, ...change } } };
};
const simulate = (accounts: readonly string[] = ACCOUNTS) => chain.simulate(MESSAGE, { accounts });

describe('a simulation', () => {
  it('tells what would come of an unsigned message, and the accounts afterwards', async () => {
    await expect(simulate()).resolves.toEqual({
      slot: 5_000,
      error: null,
      logs: ['Program log: done'],
      unitsConsumed: 4_500,
      accounts: [{ owner: TOKEN_PROGRAM, lamports: 1_461_600n, data: mintBytes(), executable: false }, null],
    });
  });

  it('asks with the own blockhash, without signatures, at commitment confirmed', async () => {
    await simulate();
    const [{ method, params }] = node.calls as [{ method: string; params: [string, object] }];
    expect(method).toBe('simulateTransaction');
    const sent = VersionedTransaction.deserialize(Buffer.from(params[0], 'base64'));
    expect(Buffer.from(sent.message.serialize())).toEqual(Buffer.from(MESSAGE));
    expect(sent.signatures.map((signature) => Buffer.from(signature))).toEqual([Buffer.alloc(64)]);
    expect(params[1]).toEqual({
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      replaceRecentBlockhash: false,
      accounts: { encoding: 'base64', addresses: ACCOUNTS },
    });
  });

  it('needs no accounts', async () => {
    answer({ accounts: null });
    await expect(simulate([])).resolves.toMatchObject({ error: null, accounts: [] });
    expect(node.calls[0]!.params[1]).not.toHaveProperty('accounts');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['nulls for accounts', { accounts: [null, null] }],
    ['no accounts', { accounts: null }],
    ['nothing but the error', { accounts: undefined, logs: null, unitsConsumed: undefined }],
  ])('that fails tells the error and no accounts, when the node gives %s', async (_, change) => {
    answer({ ...change, err: { InstructionError: [3, { Custom: 6001 }] } });
    const { error, accounts } = await simulate();
    expect([error, accounts]).toEqual(['{"InstructionError":[3,{"Custom":6001}]}', []]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['does not say whether it failed', { err: undefined }],
    ['leaves the accounts out', { accounts: null }],
    ['gives one account too few', { accounts: [null] }],
    ['gives one account too many', { accounts: [null, null, null] }],
    ['gives an account in another encoding', { accounts: [{ ...accountIn('jsonParsed') }, null] }],
    ['gives no units', { unitsConsumed: null }],
    ['gives logs that are no lines', { logs: [1] }],
  ])('is not believed when the node %s', async (_, change) => {
    answer(change);
    await expect(simulate()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR', cause: { name: 'ShapeError' } });
  });

  it('is an upstream error when the node refuses to look', async () => {
    reply = { error: { code: -32602, message: 'invalid transaction' } };
    await expect(simulate()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR', cause: { code: -32602 } });
  });

  it('asks nothing for a message that is none, or an account that is none', async () => {
    await expect(chain.simulate(MESSAGE.subarray(1), { accounts: [] })).rejects.toThrow(MalformedMessage);
    await expect(simulate(['nobody'])).rejects.toMatchObject({ code: 'INVALID_ADDRESS' });
    expect(node.calls).toEqual([]);
  });
});

function accountIn(encoding: string): object {
  return { lamports: 1, owner: TOKEN_PROGRAM, data: ['', encoding], executable: false, rentEpoch: 0 };
}
