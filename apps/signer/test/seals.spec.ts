import { newId } from '@agent-wallet/kernel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RecoveryVault } from '../src/adapters/vaults/recovery/recovery-vault.js';
import { type Deployment, openDeployment } from './support.js';

const pem = { publicKey: { type: 'spki', format: 'pem' }, privateKey: { type: 'pkcs8', format: 'pem' } } as const;
let deployment: Deployment;
let directory: string;
beforeEach(async () => {
  deployment = await openDeployment();
  directory = path.dirname(deployment.vaultPath);
});
afterEach(() => deployment.close());

async function recoveryKey(name: string, bits = 3_072): Promise<{ publicPath: string; privatePath: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: bits,
    publicKeyEncoding: pem.publicKey,
    privateKeyEncoding: pem.privateKey,
  });
  const [publicPath, privatePath] = ['public', 'private'].map((half) =>
    path.join(path.dirname(directory), `${name}-${half}.pem`),
  );
  await writeFile(publicPath!, publicKey);
  await writeFile(privatePath!, privateKey);
  return { publicPath: publicPath!, privatePath: privatePath! };
}

const addressOf = async (agentId: string, settings = {}) => {
  const replica = await deployment.start({ settings });
  const { address } = await (await deployment.clientOf(replica, 'wallet')).createKey({ agentId });
  const { versions } = await (await deployment.keysOf(replica)).describeKeys({});
  await replica.stop();
  return { address, seals: versions.map(({ seals }) => seals.map(({ driver }) => driver)) };
};

describe('a recovery key', () => {
  it('opens everything after the root key was lost, and is not needed once keys were rewrapped', async () => {
    const { publicPath, privatePath } = await recoveryKey('recovery');
    const agentId = newId();
    const before = await addressOf(agentId, { recoveryPublicKeyPath: publicPath });
    expect(before.seals).toEqual([['software', 'recovery']]);
    await rm(deployment.vaultPath);
    await expect(deployment.start()).rejects.toThrow('is missing');
    const previousVault = { driver: 'recovery', privateKeyPath: privatePath } as const;
    const recovered = await addressOf(agentId, { previousVault, recoveryPublicKeyPath: publicPath });
    expect(recovered).toEqual({ address: before.address, seals: before.seals.concat([['software', 'recovery']]) });
    const replica = await deployment.start({ settings: { previousVault } });
    const keys = await deployment.keysOf(replica);
    expect(await keys.rewrapKeys({ max: 10, after: '' })).toMatchObject({ version: 2, rewrapped: 1n, remaining: 0n });
    await replica.stop();
    expect((await addressOf(agentId)).address).toBe(before.address);
  });

  it('never protects a new key with a data key that a stranger sealed to it', async () => {
    const { publicPath, privatePath } = await recoveryKey('recovery');
    await addressOf(newId(), { recoveryPublicKeyPath: publicPath });
    const { pool } = deployment.database;
    // What a public key and a way into the database are enough for.
    const known = await RecoveryVault.ofPublicKey(await readFile(publicPath, 'utf8')).seal(randomBytes(32));
    await pool.query('insert into data_keys (version) values (7)');
    await pool.query("insert into data_key_seals values (7, 'recovery', 'x', $1)", [known]);
    const agentId = newId();
    await addressOf(agentId, { previousVault: { driver: 'recovery', privateKeyPath: privatePath } });
    const { rows } = await pool.query('select key_version from keys where agent_id = $1', [agentId]);
    expect(rows).toEqual([{ key_version: 1 }]);
    const { rows: seals } = await pool.query('select vault_driver from data_key_seals where version = 7');
    expect(seals).toEqual([{ vault_driver: 'recovery' }]);
  });

  it('is added to data keys that were there before it, and another one opens nothing', async () => {
    const agentId = newId();
    expect((await addressOf(agentId)).seals).toEqual([['software']]);
    const { publicPath } = await recoveryKey('recovery');
    expect((await addressOf(agentId, { recoveryPublicKeyPath: publicPath })).seals).toEqual([['software', 'recovery']]);
    const { privatePath } = await recoveryKey('other');
    await rm(deployment.vaultPath);
    const settings = { previousVault: { driver: 'recovery', privateKeyPath: privatePath } } as const;
    await expect(deployment.start({ settings })).rejects.toThrow(/is missing|is not the one/);
  });

  it('is refused when it is too short, or when its private half is where the public one should be', async () => {
    const short = await recoveryKey('short', 2_048);
    const start = (recoveryPublicKeyPath: string) => deployment.start({ settings: { recoveryPublicKeyPath } });
    await expect(start(short.publicPath)).rejects.toThrow('not an RSA key of 3072 bits');
    await expect(start(short.privatePath)).rejects.toThrow('this is a private key');
    await expect(start('/nowhere.pem')).rejects.toThrow('cannot be read');
  });
});

describe('a data key', () => {
  it('that no vault here opens stops the start with what to do', async () => {
    await (await deployment.start()).stop();
    await deployment.database.pool.query("update data_key_seals set vault_driver = 'tpm2', vault_id = 'srk'");
    await expect(deployment.start()).rejects.toThrow(
      'was sealed by the vault "tpm2" (srk), and this signer has "software": name what opens it as SIGNER_PREVIOUS_VAULT',
    );
  });

  it('that was sealed wrongly stops nothing else: keys under another one still sign', async () => {
    await (await deployment.start()).stop();
    const { pool } = deployment.database;
    await pool.query('insert into data_keys (version) values (2)');
    await pool.query("insert into data_key_seals values (2, 'software', 'x', $1)", [randomBytes(60)]);
    const replica = await deployment.start();
    const wallet = await deployment.clientOf(replica, 'wallet');
    expect((await wallet.createKey({ agentId: newId() })).address).toMatch(/^\w{32,44}$/);
    const keys = await deployment.keysOf(replica);
    await expect(keys.rewrapKeys({ max: 1, after: '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
