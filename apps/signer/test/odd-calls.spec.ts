import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, type KeysClient, openDeployment, permitOf, type SignerClient } from './support.js';

const LARGE = 200_000;
const MAX_REQUEST_BYTES = 256 * 1024;

let deployment: Deployment;
let wallet: SignerClient;
let history: SignerClient;
let ops: SignerClient;
let keys: KeysClient;
beforeAll(async () => {
  deployment = await openDeployment();
  const signer = await deployment.start();
  [wallet, history] = [await deployment.clientOf(signer, 'wallet'), await deployment.clientOf(signer, 'history')];
  ops = await deployment.clientOf(signer, 'ops');
  keys = await deployment.keysOf(signer);
});
afterAll(() => deployment.close());

const claim = { scope: 'log', size: 1n, rootHash: Buffer.alloc(32) };
const permit = permitOf(Buffer.alloc(0));
const message = Buffer.alloc(0);
const signing = { message, permit, resolvedAddresses: [] };

/** Malformed calls by callers that may make them, and their error codes. */
const ODD: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  ['no message and no claims', () => wallet.sign(signing), 'SIGNING_REFUSED'],
  [
    'claims that are not protobuf',
    () => wallet.sign({ ...signing, permit: permitOf(Buffer.alloc(99, 255)) }),
    'SIGNING_REFUSED',
  ],
  ['large claims', () => wallet.sign({ ...signing, permit: permitOf(Buffer.alloc(LARGE, 8)) }), 'SIGNING_REFUSED'],
  ['a large message', () => wallet.sign({ ...signing, message: Buffer.alloc(LARGE) }), 'SIGNING_REFUSED'],
  [
    'a key of the language',
    () => wallet.sign({ ...signing, permit: { ...permit, keyId: '__proto__' } }),
    'SIGNING_REFUSED',
  ],
  [
    'addresses by the thousand',
    () => wallet.sign({ ...signing, resolvedAddresses: Array<Buffer>(6_000).fill(Buffer.alloc(32)) }),
    'SIGNING_REFUSED',
  ],
  [
    'more than a request may have',
    () => wallet.sign({ ...signing, message: Buffer.alloc(MAX_REQUEST_BYTES) }),
    'RESOURCE_EXHAUSTED',
  ],
  ['no agent', () => wallet.createKey({ agentId: '' }), 'VALIDATION_ERROR'],
  ['an agent with a zero byte', () => wallet.createKey({ agentId: `${newId()}\0` }), 'VALIDATION_ERROR'],
  ['an agent with a long name', () => wallet.createKey({ agentId: 'a'.repeat(LARGE) }), 'VALIDATION_ERROR'],
  [
    'an operator wallet as an agent',
    () => wallet.createKey({ agentId: `${'0'.repeat(8)}-0000-0000-0000-00000000000A` }),
    'VALIDATION_ERROR',
  ],
  ['a wallet below zero', () => wallet.createSystemKey({ wallet: -1 }), 'VALIDATION_ERROR'],
  ['a large nonce', () => wallet.attest({ nonce: Buffer.alloc(LARGE), isPublic: false }), 'VALIDATION_ERROR'],
  ['no claims of the log', () => history.signCheckpoints({ claims: [] }), 'VALIDATION_ERROR'],
  ['too many of them', () => history.signCheckpoints({ claims: Array(501).fill(claim) }), 'VALIDATION_ERROR'],
  ['one of nothing', () => history.signCheckpoints({ claims: [{ ...claim, size: 0n }] }), 'VALIDATION_ERROR'],
  [
    'one of another scope',
    () => history.signCheckpoints({ claims: [{ ...claim, scope: 'log\n1' }] }),
    'VALIDATION_ERROR',
  ],
  ['no boot', () => ops.getBoot({ ephemeralKey: Buffer.alloc(0) }), 'NOT_FOUND'],
  ['a large boot', () => ops.getBoot({ ephemeralKey: Buffer.alloc(LARGE) }), 'NOT_FOUND'],
  ['no keys to move', () => keys.rewrapKeys({ max: 0, after: '' }), 'VALIDATION_ERROR'],
  ['all keys at once', () => keys.rewrapKeys({ max: 2 ** 31 - 1, after: '' }), 'VALIDATION_ERROR'],
  ['keys after an id that is not a UUID', () => keys.rewrapKeys({ max: 1, after: "' or 1=1" }), 'VALIDATION_ERROR'],
];

describe('what makes no sense', () => {
  it.each(ODD)('is answered so: %s', async (_, call, code) => {
    expect(await call().then(() => 'done', codeOf)).toBe(code);
  });

  it('changes nothing, and the signer goes on', async () => {
    await Promise.all(ODD.map(([, call]) => call().catch(() => undefined)));
    const rows = 'select (select count(*)::int from keys) as keys, (select count(*)::int from data_keys) as data_keys';
    expect((await deployment.database.pool.query(rows)).rows).toEqual([{ keys: 0, data_keys: 1 }]);
    const agentId = newId();
    const { address } = await wallet.createKey({ agentId });
    // One agent, however the id is written.
    expect(await wallet.createKey({ agentId: agentId.toUpperCase() })).toEqual({ address });
  });
});

/** The catalogue's code, or gRPC's own where the call did not reach a handler. */
function codeOf(error: { code?: string; status?: number }): string {
  return error.code ?? (error.status === 8 ? 'RESOURCE_EXHAUSTED' : String(error.status));
}
