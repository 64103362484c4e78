import { signerV1 } from '@agent-wallet/contracts';
import { newId, NIL_UUID } from '@agent-wallet/kernel';
import { addressBytes } from '@agent-wallet/solana/checks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rm, stat } from 'node:fs/promises';
import { type Deployment, openDeployment, SERVICES } from './support.js';

let deployment: Deployment;
beforeEach(async () => {
  deployment = await openDeployment();
});
afterEach(() => deployment.close());

const rowsOf = async (sql: string) => (await deployment.database.pool.query(sql)).rows;

describe('CreateKey', () => {
  it('gives an agent one address, however often it is asked', async () => {
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    const [agentId, otherId] = [newId(), newId()];
    const { address } = await wallet.createKey({ agentId });
    expect(addressBytes(address)).toHaveLength(32);
    expect(await wallet.createKey({ agentId: agentId.toUpperCase() })).toEqual({ address });
    expect((await wallet.createKey({ agentId: otherId })).address).not.toBe(address);
  });

  it('makes one key for ten calls at once at two replicas that start at once', async () => {
    const replicas = await Promise.all([deployment.start(), deployment.start()]);
    const wallets = await Promise.all(replicas.map((replica) => deployment.clientOf(replica, 'wallet')));
    const agentId = newId();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => wallets[i % 2]!.createKey({ agentId })));
    expect(new Set(answers.map(({ address }) => address)).size).toBe(1);
    expect(await rowsOf('select count(*)::int as n from keys')).toEqual([{ n: 1 }]);
    expect(await rowsOf('select version, vault_driver as driver from data_key_seals')).toEqual([
      { version: 1, driver: 'software' },
    ]);
  });

  it('gives the same address after a restart', async () => {
    const agentId = newId();
    const first = await deployment.start();
    const { address } = await (await deployment.clientOf(first, 'wallet')).createKey({ agentId });
    await first.stop();
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    expect(await wallet.createKey({ agentId })).toEqual({ address });
  });

  it.each(['', 'me', '0193f3a0'])('is refused for the agent "%s"', async (agentId) => {
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    const call = wallet.createKey({ agentId });
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'agentId' }] });
  });

  it('tells no address whose key was tampered with', async () => {
    const wallet = await deployment.clientOf(await deployment.start({ openKeyTtlMs: 0 }), 'wallet');
    const agentId = newId();
    await wallet.createKey({ agentId });
    await deployment.database.pool.query('update keys set public_key = sha256(public_key)');
    await expect(wallet.createKey({ agentId })).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('CreateSystemKey', () => {
  const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY, SYSTEM_WALLET_UNSPECIFIED } =
    signerV1.SystemWallet;

  it('gives each wallet of the operator one address of its own, however often it is asked, after a restart, too', async () => {
    const first = await deployment.start();
    const wallet = await deployment.clientOf(first, 'wallet');
    const sponsor = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR });
    const fees = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_FEES });
    expect(addressBytes(sponsor.address)).toHaveLength(32);
    const treasury = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_TREASURY });
    expect(new Set([sponsor, fees, treasury].map(({ address }) => address)).size).toBe(3);
    await first.stop();
    const again = await deployment.clientOf(await deployment.start(), 'wallet');
    expect(await again.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR })).toEqual(sponsor);
    expect(await again.createSystemKey({ wallet: SYSTEM_WALLET_FEES })).toEqual(fees);
    expect(await again.createSystemKey({ wallet: SYSTEM_WALLET_TREASURY })).toEqual(treasury);
  });

  it('makes one key for ten calls at once at two replicas that start at once', async () => {
    const replicas = await Promise.all([deployment.start(), deployment.start()]);
    const wallets = await Promise.all(replicas.map((replica) => deployment.clientOf(replica, 'wallet')));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => wallets[i % 2]!.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR })),
    );
    expect(new Set(answers.map(({ address }) => address)).size).toBe(1);
    expect(await rowsOf('select count(*)::int as n from keys')).toEqual([{ n: 1 }]);
  });

  it.each([SYSTEM_WALLET_UNSPECIFIED, 4])('is refused for the wallet %d', async (unknown) => {
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    const call = wallet.createSystemKey({ wallet: unknown });
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'wallet' }] });
    expect(await rowsOf('select from keys')).toEqual([]);
  });

  it('keeps its keys under ids that no agent can have', async () => {
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    await wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR });
    await wallet.createSystemKey({ wallet: SYSTEM_WALLET_FEES });
    await wallet.createSystemKey({ wallet: SYSTEM_WALLET_TREASURY });
    const owners = (await rowsOf('select agent_id from keys')) as { agent_id: string }[];
    const ids = owners.map((row) => row.agent_id);
    expect(ids).toHaveLength(3);
    for (const agentId of [...ids, NIL_UUID, '00000000-0000-0000-0000-ffffffffffff']) {
      const call = wallet.createKey({ agentId });
      await expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'agentId' }] });
    }
    expect(await rowsOf('select from keys')).toHaveLength(3);
  });

  it('tells no address whose key was tampered with', async () => {
    const wallet = await deployment.clientOf(await deployment.start({ openKeyTtlMs: 0 }), 'wallet');
    await wallet.createSystemKey({ wallet: SYSTEM_WALLET_FEES });
    await deployment.database.pool.query('update keys set public_key = sha256(public_key)');
    const call = wallet.createSystemKey({ wallet: SYSTEM_WALLET_FEES });
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('callers', () => {
  const mayCall = {
    createKey: ['wallet'],
    createSystemKey: ['wallet'],
    sign: ['wallet', 'swap'],
    signCheckpoints: ['history'],
  } as const;

  it.each(SERVICES)('%s may call what its name allows, and nothing else', async (name) => {
    const client = await deployment.clientOf(await deployment.start(), name);
    const attempts = {
      createKey: () => client.createKey({ agentId: newId() }),
      createSystemKey: () => client.createSystemKey({ wallet: signerV1.SystemWallet.SYSTEM_WALLET_FEES }),
      sign: () => client.sign({ message: Buffer.alloc(1), permit: undefined, resolvedAddresses: [] }),
      signCheckpoints: () => client.signCheckpoints({ claims: [] }),
    };
    for (const method of ['createKey', 'createSystemKey', 'sign', 'signCheckpoints'] as const) {
      const answer = await attempts[method]().catch((error: { code: string }) => error.code);
      const isAllowed = (mayCall[method] as readonly string[]).includes(name);
      expect([method, answer === 'CALLER_NOT_ALLOWED']).toEqual([method, !isAllowed]);
    }
    const keys = await rowsOf('select 1 from keys');
    expect(keys).toHaveLength(name === 'wallet' ? 2 : 0);
  });
});

describe('a signer does not start', () => {
  it('without the file that its keys were sealed with, and makes no new one', async () => {
    await (await deployment.start()).stop();
    await rm(deployment.vaultPath);
    await expect(deployment.start()).rejects.toThrow('is missing');
    await expect(stat(deployment.vaultPath)).rejects.toThrow('ENOENT');
  });

  it('when the data key was sealed by another vault', async () => {
    await (await deployment.start()).stop();
    await deployment.database.pool.query("update data_key_seals set vault_driver = 'tpm2'");
    await expect(deployment.start()).rejects.toThrow('sealed by the vault "tpm2"');
  });
});
