import { where } from '@agent-wallet/testing';
import { startEmbeddedPostgres } from '@agent-wallet/embedded';
import { createLogger } from '@agent-wallet/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { KEPT_OBJECTS, LOGIN_ROLES, SUPERUSER_PASSWORD } from '../src/cluster/kept-objects.js';
import { KubernetesApi, type StoredObject } from '../src/cluster/kubernetes-api.js';
import { writeOperatorWallets } from '../src/cluster/operator-wallets-map.js';
import { provide } from '../src/cluster/provide.js';
import { makeSchemas } from '../src/cluster/schemas-of-services.js';
import { type FakeApiServer, startFakeApiServer } from './kubernetes/fake-api-server.js';
import { canRender, render } from './kubernetes/render.js';
import { neededConfigMaps, neededSecrets } from './kubernetes/secrets.js';

const TOKEN = 'of-the-account';
const logger = createLogger('test', 'silent');

let root: string;
let server: FakeApiServer;
let api: KubernetesApi;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'provision-'));
  server = await startFakeApiServer(TOKEN);
  await writeFile(path.join(root, 'token'), TOKEN);
  api = new KubernetesApi({ url: server.url, namespace: 'test', accountPath: root });
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true });
});

/** Each run has an empty folder, as each pod does. */
async function provideAnew(): Promise<string> {
  const directory = await mkdtemp(path.join(root, 'run-'));
  await provide({ api, directory, smtpUrl: 'smtp://sandbox:8904', logger });
  return directory;
}

function bytesOf(name: string, key: string): Buffer {
  return Buffer.from(server.objects.get(`secrets/${name}`)!.data![key]!, 'base64');
}

describe('what a sandbox in a cluster is provided with', () => {
  it('is made once, and stays when the job runs again', async () => {
    await provideAnew();
    const made = new Map(server.objects);
    expect(server.changes).toHaveLength(KEPT_OBJECTS.length);
    await provideAnew();
    expect(server.objects).toEqual(made);
    expect(server.changes).toHaveLength(KEPT_OBJECTS.length);
  });

  it('fits together: certificates of one authority, a public half of each private one', async () => {
    await provideAnew();
    const authority = new X509Certificate(bytesOf('internal-authority', 'tls.crt'));
    const wallet = new X509Certificate(bytesOf('wallet-tls', 'tls.crt'));
    expect(wallet.verify(authority.publicKey)).toBe(true);
    expect(wallet.subjectAltName).toContain('DNS:wallet');
    expect(bytesOf('signer-tls', 'ca.crt').toString()).toBe(authority.toString());
    const half = createPublicKey(bytesOf('policy-permit-keys', '0001.pem')).export({ type: 'spki', format: 'pem' });
    expect(server.objects.get('configmaps/permit-public-keys')?.data).toEqual({ '0001.pem': half });
    expect(bytesOf('signer-root-key', 'root-key')).toHaveLength(32);
  });

  it('is completed by another run when one ended in the middle', async () => {
    await provideAnew();
    const key = bytesOf('policy-permit-keys', '0001.pem');
    const missing = ['secrets/wallet-tls', 'configmaps/permit-public-keys', 'secrets/signer-database'];
    for (const place of missing) server.objects.delete(place);
    await provideAnew();
    const authority = new X509Certificate(bytesOf('internal-authority', 'tls.crt'));
    expect(new X509Certificate(bytesOf('wallet-tls', 'tls.crt')).verify(authority.publicKey)).toBe(true);
    expect(bytesOf('policy-permit-keys', '0001.pem')).toEqual(key);
    expect(server.changes.slice(KEPT_OBJECTS.length).sort()).toEqual([...missing].sort());
  });

  it('leaves alone what a person changed', async () => {
    await provideAnew();
    const [place, kept] = [
      'secrets/gateway-secrets',
      { metadata: { name: 'gateway-secrets' }, data: { 'smtp-url': 'bXk=' } },
    ];
    server.objects.set(place, kept);
    await provideAnew();
    expect(server.objects.get(place)).toBe(kept);
  });

  it('renews a certificate that is of no use, and nothing else', async () => {
    await provideAnew();
    const wallet = server.objects.get('secrets/wallet-tls')!;
    const foreign = server.objects.get('secrets/policy-tls')!.data!['tls.crt']!;
    server.objects.set('secrets/wallet-tls', { ...wallet, data: { ...wallet.data, 'tls.crt': foreign } });
    await provideAnew();
    expect(new X509Certificate(bytesOf('wallet-tls', 'tls.crt')).subjectAltName).toContain('DNS:wallet');
    expect(server.changes.slice(KEPT_OBJECTS.length)).toEqual(['secrets/wallet-tls']);
  });

  it('says what to do when the account lacks a right, the API is silent, or another run was faster', async () => {
    await writeFile(path.join(root, 'token'), 'of another account');
    await expect(provideAnew()).rejects.toThrow('let the service account do it');
    await writeFile(path.join(root, 'token'), TOKEN);
    const object: StoredObject = { metadata: { name: 'a' } };
    await api.create('secrets', object);
    await expect(api.create('secrets', object)).rejects.toThrow('Run this again');
    const nobody = new KubernetesApi({ url: 'http://127.0.0.1:1', namespace: 'test', accountPath: root });
    await expect(nobody.find('secrets', 'a')).rejects.toThrow('no API server answers at http://127.0.0.1:1');
  });

  where(it, { name: 'kubectl', isMet: canRender() })('is everything that the overlay mounts', async () => {
    await provideAnew();
    const manifests = render('sandbox');
    const places = [
      ...[...neededSecrets(manifests)].map((name) => `secrets/${name}`),
      ...[...neededConfigMaps(manifests)].map((name) => `configmaps/${name}`),
    ];
    expect(places.filter((place) => !server.objects.has(place))).toEqual([]);
  });
});

describe('the schemas of a sandbox in a cluster', () => {
  it('belong to roles with the passwords that were made, also when made twice', async () => {
    const directory = await provideAnew();
    const postgres = await startEmbeddedPostgres({ dataDir: path.join(root, 'postgres'), durability: 'relaxed' });
    try {
      await mkdir(path.join(directory, 'passwords'), { recursive: true });
      await writeFile(path.join(directory, SUPERUSER_PASSWORD), postgres.password.reveal());
      await makeSchemas(postgres, directory);
      await makeSchemas(postgres, directory);
      for (const role of LOGIN_ROLES) {
        const password = bytesOf(`${role.replace('_', '-')}-database`, 'password').toString();
        const client = new pg.Client({
          ...{ host: postgres.host, port: postgres.port, user: role, password, database: 'agent_wallet' },
        });
        await client.connect();
        const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
        expect(rows[0]?.schema).toBe(role.replace('_owner', ''));
        await client.end();
      }
    } finally {
      await postgres.stop();
    }
  });
});

describe('the addresses of the operator’s wallets', () => {
  const wallets = { sponsor: 'S1', fees: 'F1', treasury: 'T1' };
  const expected = { SPONSOR_ADDRESS: 'S1', FEE_WALLET_ADDRESS: 'F1', TREASURY_ADDRESS: 'T1' };

  it('are written once', async () => {
    await writeOperatorWallets(api, wallets);
    await writeOperatorWallets(api, wallets);
    expect(server.objects.get('configmaps/operator-wallets')?.data).toEqual(expected);
    expect(server.changes).toHaveLength(1);
  });

  it('are never replaced by others', async () => {
    await writeOperatorWallets(api, wallets);
    await expect(writeOperatorWallets(api, { ...wallets, fees: 'F2' })).rejects.toThrow(
      'FEE_WALLET_ADDRESS is F2 there',
    );
    expect(server.objects.get('configmaps/operator-wallets')?.data).toEqual(expected);
  });
});
