import { signerV1 } from '@agent-wallet/contracts';
import { toBase58 } from '@agent-wallet/contracts/audit';
import { createCertificates, type CertificatePaths } from '@agent-wallet/embedded';
import { newId, Secret } from '@agent-wallet/kernel';
import { runOps } from '@agent-wallet/ops';
import {
  clientTlsEnvironment,
  createLogger,
  type Database,
  loadTls,
  migrate,
  openDatabase,
  openRpcClient,
  serverTlsEnvironment,
} from '@agent-wallet/platform';
import { signerMigrations, signerSettings, startSigner } from '@agent-wallet/signer';
import { openTestDatabase, type TestConnection, type TestDatabase } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const silent = createLogger('test', 'silent');
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' });
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });

let directory: string;
let certificates: Record<'signer' | 'wallet' | 'ops', CertificatePaths>;
const closing: Array<() => Promise<unknown>> = [];
const at = (name: string) => path.join(directory, name);

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'custody-'));
  closing.push(() => rm(directory, { recursive: true }));
  certificates = await createCertificates(at('tls'), ['signer', 'wallet', 'ops']);
  await mkdir(at('permit-keys'));
  await writeFile(at('permit-keys/1.pem'), spki(generateKeyPairSync('ed25519').publicKey));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Place {
  readonly url: string;
  readonly database: Database;
}

/** A database for a signer, migrated. */
async function newDatabase(): Promise<Place> {
  const test: TestDatabase<'signer'> = await openTestDatabase(['signer']);
  const { signer } = test.schemas;
  const connection = { ...signer, password: new Secret(signer.password) };
  const database = openDatabase({ connection, schema: 'signer', logger: silent });
  closing.push(async () => database.close().then(() => test.close()));
  await migrate(database, signerMigrations.directory);
  return { url: urlOf(signer), database };
}

function urlOf({ host, port, user, password, database }: TestConnection): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

async function signerOn({ url }: Place, vault = 'root.key') {
  const running = await startSigner(
    signerSettings({
      ...{ DATABASE_URL: url, GRPC_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'silent' },
      ...serverTlsEnvironment(certificates.signer),
      ...{ SIGNER_VAULT_PATH: at(vault), PERMIT_PUBLIC_KEYS_PATH: at('permit-keys') },
    }),
    { logger: silent },
  );
  closing.push(() => running.stop());
  return running;
}

async function addressesAt(address: string, agents: readonly string[]): Promise<string[]> {
  const peer = { address, service: 'signer' } as const;
  const tls = await loadTls(certificates.wallet);
  const wallet = openRpcClient({ definition: signerV1.SignerServiceService, peer, tls });
  try {
    return await Promise.all(agents.map(async (agentId) => (await wallet.createKey({ agentId })).address));
  } finally {
    wallet.close();
  }
}

async function keys(args: readonly string[], environment: Record<string, string>) {
  const lines: string[] = [];
  const code = await runOps(['keys', ...args], environment, (line) => lines.push(line));
  return { code, printed: lines.join('\n') };
}

async function newIdentity(name: string): Promise<void> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 3_072 });
  await writeFile(at(`${name}.public.pem`), spki(pair.publicKey));
  await writeFile(at(`${name}.private.pem`), pkcs8(pair.privateKey));
}

describe('operators of keys', () => {
  it('move every key to a new data key, see it, and remove the old one', async () => {
    const place = await newDatabase();
    const signer = await signerOn(place);
    const agents = Array.from({ length: 25 }, newId);
    const before = await addressesAt(signer.address, agents);
    const asked = { ...clientTlsEnvironment(certificates.ops), SIGNER_ADDRESS: signer.address };
    const { code, printed } = await keys(['rewrap', '--retire'], asked);
    expect(printed).toContain('created data key 2\nmoved to data key 2: 25, remaining: 0\nremoved data key 1\n');
    expect(printed).toMatch(/data key 2: keys: 25, created .*, opened by software [0-9a-f]{16}\nsigner of boot/);
    expect(code).toBe(0);
    // A key that is under an older data key, as after a kill: it goes on with the newest.
    await place.database.pool.query('insert into data_keys (version) select 3');
    await place.database.pool.query(
      'insert into data_key_seals select 3, vault_driver, vault_id, sealed from data_key_seals',
    );
    const again = await keys(['rewrap'], asked);
    expect(again.printed).toContain('keys not under data key 3 yet: 25; continuing with it');
    expect(await addressesAt(signer.address, agents)).toEqual(before);
    const none = await keys(['rewrap'], { DATA_DIR: at('nowhere') });
    expect([none.code, none.printed]).toEqual([1, expect.stringContaining('ops.json cannot be read')]);
  });

  it.each([
    [[], 0, 'Usage: npm run ops -- keys'],
    [['rewrap', '--help'], 0, 'Usage: npm run ops -- keys'],
    [['melt'], 2, 'Unknown command: keys melt.'],
    [['rewrap', 'all'], 2, 'all is one argument too many.'],
    [['backup', '--to', 'x'], 2, 'backup takes --to FILE and --recipient'],
    [['restore', '--check'], 2, 'restore takes --from FILE and --identity'],
    [['restore', '--force'], 2, "Unknown option '--force'"],
  ] as const)('get instructions: %s', async (args, code, text) => {
    expect(await keys(args, {})).toEqual({ code, printed: expect.stringContaining(text) });
  });
});

describe('operators of the signer', () => {
  it('find the boot that gave a signature, what it said of itself, and whether that is accepted', async () => {
    const place = await newDatabase();
    const { address } = await signerOn(place);
    const tls = await loadTls(certificates.wallet);
    const peer = { address, service: 'signer' } as const;
    const wallet = openRpcClient({ definition: signerV1.SignerServiceService, peer, tls });
    const { ephemeralKey, buildDigest } = await wallet.attest({ nonce: Buffer.alloc(32), isPublic: false });
    wallet.close();
    const environment = { SIGNER_ADDRESS: address, ...clientTlsEnvironment(certificates.ops) };
    const boot = async (...args: string[]) => {
      const lines: string[] = [];
      const code = await runOps(['boots', ...args], environment, (line) => lines.push(line));
      return { code, printed: lines.join('\n') };
    };
    const key = ephemeralKey.toString('hex');
    const { code, printed } = await boot('get', key);
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/^boot .*\nstarted .*\nvault +software [^]*not verified/),
    ]);
    expect(printed).toContain(`program  ${buildDigest.toString('hex')}`);
    expect(await boot('get', toBase58(ephemeralKey))).toEqual({ code, printed });
    await writeFile(at('lenient.json'), '{"software":true}');
    expect(await boot('get', key, '--policy', at('lenient.json'))).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/accepted$/),
    });
    await writeFile(at('strict.json'), `{"software":true,"buildDigests":["${'00'.repeat(32)}"]}`);
    const strict = await boot('get', key, '--policy', at('strict.json'));
    expect([strict.code, strict.printed]).toEqual([1, expect.stringContaining('REFUSED  wrong_build')]);
    const unknown = await boot('get', '00'.repeat(32));
    expect([unknown.code, unknown.printed]).toEqual([1, 'NOT_FOUND: No boot of this signer has that key.']);
    // What was recorded for one boot is not another's.
    const forged = 'update boots set ephemeral_key = $1';
    await place.database.pool.query(forged, [Buffer.alloc(32, 7)]);
    const other = await boot('get', '07'.repeat(32));
    expect([other.code, other.printed]).toEqual([1, expect.stringContaining('REFUSED  wrong_binding')]);
  });

  it.each([
    [['--help'], 0, 'Usage: npm run ops -- boot'],
    [['get'], 2, 'boots get takes the key of a boot'],
    [[], 0, 'Usage: npm run ops -- boots get'],
    [['find', '00'.repeat(32)], 2, 'Unknown command: boots find.'],
    [['get', '0x12'], 2, 'boots get takes the key of a boot'],
    [['get', '00'.repeat(32), 'twice'], 2, 'twice is one argument too many.'],
    [['--loud'], 2, "Unknown option '--loud'"],
  ] as const)('get instructions on how to get a boot: %s', async (args, code, text) => {
    const lines: string[] = [];
    expect(await runOps(['boots', ...args], {}, (line) => lines.push(line))).toBe(code);
    expect(lines.join('\n')).toContain(text);
  });
});

describe('a backup', () => {
  const agents = Array.from({ length: 30 }, newId);
  let before: string[];
  let backup: string[];

  beforeEach(async () => {
    const place = await newDatabase();
    const signer = await signerOn(place);
    before = await addressesAt(signer.address, agents);
    await signer.stop();
    await newIdentity('mine');
    backup = ['backup', '--to', at('keys.backup'), '--recipient', at('mine.public.pem')];
    const { code, printed } = await keys(backup, { DATABASE_URL: place.url });
    expect([code, printed]).toEqual([0, expect.stringContaining('30 keys under 1 data keys with 1 seals')]);
  });

  const restore = (identity: string, { url }: { url: string }, ...more: string[]) =>
    keys(['restore', '--from', at('keys.backup'), '--identity', at(`${identity}.private.pem`), ...more], {
      DATABASE_URL: url,
    });

  const isEmpty = async ({ database }: Place) =>
    (await database.pool.query('select from keys union all select from data_keys')).rowCount === 0;

  it('brings every key back in another database, for the vault that it was sealed with alone', async () => {
    expect((await stat(at('keys.backup'))).mode & 0o777).toBe(0o600);
    const place = await newDatabase();
    const checked = await restore('mine', place, '--check');
    expect([checked.code, checked.printed]).toEqual([0, expect.stringContaining('is whole: 30 keys under 1')]);
    expect(await isEmpty(place)).toBe(true);
    expect(await restore('mine', place)).toMatchObject({ code: 0 });
    await writeFile(at('other.key'), Buffer.alloc(32, 1), { mode: 0o600 });
    await expect(signerOn(place, 'other.key')).rejects.toThrow('is not the one that the database');
    const signer = await signerOn(place);
    expect(await addressesAt(signer.address, agents)).toEqual(before);
  });

  it('holds nothing in the clear, and replaces no file', async () => {
    const bytes = await readFile(at('keys.backup'));
    for (const text of ['agent_id', 'data_key', agents[0]!, 'software']) expect(bytes.includes(text)).toBe(false);
    const { url } = await newDatabase();
    expect(await keys(backup, { DATABASE_URL: url })).toEqual({
      code: 1,
      printed: expect.stringContaining('is there already'),
    });
    expect(await readFile(at('keys.backup'))).toEqual(bytes);
  });

  it('is refused with another identity, and writes nothing', async () => {
    await newIdentity('theirs');
    const place = await newDatabase();
    const { code, printed } = await restore('theirs', place);
    expect([code, printed]).toEqual([1, expect.stringContaining('was made for another key than this identity')]);
    expect(await isEmpty(place)).toBe(true);
  });

  it('is refused when any part of it was changed, or cut off, and writes nothing', async () => {
    const place = await newDatabase();
    const whole = await readFile(at('keys.backup'));
    for (const flipped of [0, 27, 28, 40, 28 + 2 + 384, 28 + 2 + 384 + 12, whole.length >> 1, whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes[flipped]! ^= 1;
      await writeFile(at('keys.backup'), bytes);
      const { code, printed } = await restore('mine', place);
      expect([flipped, code, printed]).toEqual([
        flipped,
        1,
        expect.stringMatching(/is not a backup of keys|was changed/),
      ]);
    }
    for (const length of [whole.length - 1, whole.length >> 1, 28 + 2 + 384 + 12 + 16, 100, 10, 0]) {
      await writeFile(at('keys.backup'), whole);
      await truncate(at('keys.backup'), length);
      const { code, printed } = await restore('mine', place);
      expect([length, code, printed]).toEqual([
        length,
        1,
        expect.stringMatching(/is not a backup of keys|is not whole/),
      ]);
    }
    expect(await isEmpty(place)).toBe(true);
  });

  it('is refused where a signer has started, and where nothing was migrated', async () => {
    const place = await newDatabase();
    await (await signerOn(place, 'fresh.key')).stop();
    const filled = await restore('mine', place);
    expect([filled.code, filled.printed]).toEqual([1, expect.stringContaining('there is something in data_keys')]);
    expect((await place.database.pool.query('select from keys')).rowCount).toBe(0);
    const bare: TestDatabase<'signer'> = await openTestDatabase(['signer']);
    closing.push(() => bare.close());
    const { code, printed } = await restore('mine', { url: urlOf(bare.schemas.signer) });
    expect([code, printed]).toEqual([1, expect.stringContaining('was not migrated yet')]);
  });
});
