import { signerV1 } from '@agent-wallet/contracts';
import { isGenuine } from '@agent-wallet/audit';
import { type Checkpoint, checkpointBytes, type CheckpointScope } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { addressBytes, decodeMessage } from '@agent-wallet/solana/checks';
import { honestMessages } from '@agent-wallet/solana/corpus';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  claimsFor,
  type Deployment,
  NO_TABLES,
  NOW_MS,
  openDeployment,
  permitOf,
  type SignerClient,
} from './support.js';

const CHECKPOINT_KEY_ID = '00000000-0000-0000-0000-000000000004';
const AGENT = '0193f3a0-0000-7000-8000-000000000001';
const ROOT = createHash('sha256').update('root').digest();
const CLAIM = { scope: `agent:${AGENT}`, size: 7n, rootHash: ROOT };

let deployment: Deployment;
let history: SignerClient;
let wallet: SignerClient;
beforeEach(async () => {
  deployment = await openDeployment();
  const replica = await deployment.start();
  history = await deployment.clientOf(replica, 'history');
  wallet = await deployment.clientOf(replica, 'wallet');
});
afterEach(() => deployment.close());

async function checkpointsOf(claims: signerV1.CheckpointClaim[], client = history): Promise<Checkpoint[]> {
  const { keyId, signedAtMs, signatures } = await client.signCheckpoints({ claims });
  return claims.map(({ scope, size, rootHash }, n) => ({
    ...{ scope: scope as CheckpointScope, size: Number(size), rootHash, keyId },
    ...{ signedAtMs: Number(signedAtMs), signature: signatures[n]! },
  }));
}

describe('SignCheckpoints', () => {
  it('signs each claim, with the time by its own clock', async () => {
    const checkpoints = await checkpointsOf([CLAIM, { ...CLAIM, scope: 'log', size: 9_007_199_254_740_991n }]);
    expect(await Promise.all(checkpoints.map(isGenuine))).toEqual([true, true]);
    expect(checkpoints.map(({ signedAtMs }) => signedAtMs)).toEqual([NOW_MS, NOW_MS]);
    const [ours, log] = checkpoints as [Checkpoint, Checkpoint];
    const changes: Partial<Checkpoint>[] = [
      { size: 8 },
      { rootHash: Buffer.alloc(32) },
      { signedAtMs: NOW_MS + 1 },
      { scope: `agent:${newId()}` },
      { signature: log.signature },
    ];
    for (const change of changes) expect(await isGenuine({ ...ours, ...change })).toBe(false);
  });

  it('signs bytes that are laid out as they are documented', async () => {
    const [checkpoint] = await checkpointsOf([CLAIM]);
    const number = (value: bigint) => Buffer.from(value.toString(16).padStart(16, '0'), 'hex');
    const scope = Buffer.from(`agent:${AGENT}`);
    const text = Buffer.from('agentwallet/checkpoint/v1\n');
    const bytes = Buffer.concat([
      Buffer.from([0xff]),
      text,
      Buffer.from([42]),
      scope,
      number(7n),
      ROOT,
      number(BigInt(NOW_MS)),
    ]);
    const x = Buffer.from(addressBytes(checkpoint!.keyId)).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, bytes, key, checkpoint!.signature)).toBe(true);
  });

  it('makes one key for many calls at once at two replicas, sealed as the others, and keeps it', async () => {
    const replicas = await Promise.all([deployment.start(), deployment.start()]);
    const clients = await Promise.all(replicas.map((replica) => deployment.clientOf(replica, 'history')));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => clients[n % 2]!.signCheckpoints({ claims: [CLAIM] })),
    );
    expect(new Set(answers.map(({ keyId }) => keyId)).size).toBe(1);
    const { rows } = await deployment.database.pool.query('select agent_id from keys');
    expect(rows).toEqual([{ agent_id: CHECKPOINT_KEY_ID }]);
    const later = await deployment.clientOf(await deployment.start(), 'history');
    expect((await later.signCheckpoints({ claims: [CLAIM] })).keyId).toBe(answers[0]!.keyId);
  });

  it.each<[string, signerV1.CheckpointClaim[]]>([
    ['no claim', []],
    ['too many', Array.from({ length: 501 }, () => CLAIM)],
    ['size 0', [{ ...CLAIM, size: 0n }]],
    ['a size that no number holds', [{ ...CLAIM, size: 2n ** 53n }]],
    ['the largest size', [{ ...CLAIM, size: 2n ** 64n - 1n }]],
    ['a short hash', [{ ...CLAIM, rootHash: Buffer.alloc(31) }]],
    ['a long hash', [{ ...CLAIM, rootHash: Buffer.alloc(33) }]],
    ['no hash', [{ ...CLAIM, rootHash: Buffer.alloc(0) }]],
    ['no scope', [{ ...CLAIM, scope: '' }]],
    ['an unknown scope', [{ ...CLAIM, scope: 'everything' }]],
    ['a scope with more behind it', [{ ...CLAIM, scope: 'log\n' }]],
    ['an agent in capitals', [{ ...CLAIM, scope: `agent:${AGENT.toUpperCase()}` }]],
    ['an agent that is none', [{ ...CLAIM, scope: 'agent:me' }]],
    ['one bad among good', [CLAIM, { ...CLAIM, size: 0n }]],
  ])('refuses %s, and signs nothing', async (_, claims) => {
    await expect(history.signCheckpoints({ claims })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await deployment.database.pool.query('select from keys')).rowCount).toBe(0);
  });

  it('takes 500 at once', async () => {
    const checkpoints = await checkpointsOf(Array.from({ length: 500 }, (_, n) => ({ ...CLAIM, size: BigInt(n + 1) })));
    expect(await Promise.all(checkpoints.map(isGenuine))).toEqual(checkpoints.map(() => true));
  });
});

describe('the key of checkpoints', () => {
  /** What a thief with policy's permit key would try. */
  const permitFor = (message: Uint8Array, change: Parameters<typeof claimsFor>[1]) =>
    wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit: permitOf(claimsFor(message, change)) });

  it('differs from every wallet key', async () => {
    const [{ keyId } = { keyId: '' }] = await checkpointsOf([CLAIM]);
    const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY } = signerV1.SystemWallet;
    const others = await Promise.all([
      wallet.createKey({ agentId: AGENT }),
      ...[SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY].map((system) =>
        wallet.createSystemKey({ wallet: system }),
      ),
    ]);
    expect(others.map(({ address }) => address)).not.toContain(keyId);
    await expect(wallet.createKey({ agentId: CHECKPOINT_KEY_ID })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('signs no message, not even under a genuine permit in its name, nor as a sponsor', async () => {
    const [{ keyId } = { keyId: '' }] = await checkpointsOf([CLAIM]);
    const { address } = await wallet.createKey({ agentId: AGENT });
    const [own] = honestMessages(keyId);
    const [agents] = honestMessages(address);
    await expect(permitFor(own!.message, { agentId: CHECKPOINT_KEY_ID, intent: own!.intent })).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
    });
    const intent = { ...agents!.intent, sponsor: keyId };
    await expect(permitFor(agents!.message, { agentId: AGENT, intent })).rejects.toMatchObject({
      data: { reason: 'sponsor_mismatch' },
    });
  });

  it('signs bytes that are not a Solana message, so no agent’s key can be made to sign a checkpoint', async () => {
    const { address } = await wallet.createKey({ agentId: AGENT });
    const bytes = checkpointBytes({ scope: 'log', size: 1, rootHash: ROOT, signedAtMs: NOW_MS });
    expect(bytes[0]).toBe(0xff);
    expect(() => decodeMessage(bytes)).toThrow();
    const { intent } = honestMessages(address)[0]!;
    await expect(permitFor(bytes, { agentId: AGENT, intent })).rejects.toMatchObject({ code: 'SIGNING_REFUSED' });
  });
});
