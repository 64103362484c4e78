import { signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { encodeBase58 } from '@agent-wallet/solana';
import { honestMessages } from '@agent-wallet/solana/corpus';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDecipheriv } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { SoftwareVault } from '../src/adapters/vaults/software/software-vault.js';
import { claimsFor, type Deployment, NO_TABLES, openDeployment, permitOf, type SignerClient } from './support.js';

interface KeyRow {
  readonly agent_id: string;
  readonly key_version: number;
  readonly public_key: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES } = signerV1.SystemWallet;
/** Where the sponsor's key is kept, written out here a second time. */
const SPONSOR_ID = '00000000-0000-0000-0000-000000000001';

let deployment: Deployment;
const lines: string[] = [];
beforeEach(async () => {
  deployment = await openDeployment();
  lines.length = 0;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await deployment.close();
});

/** A logger that writes everything down, and the two streams beside it. */
function listening() {
  const write = (chunk: unknown) => lines.push(String(chunk)) > 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(write);
  jest.spyOn(process.stderr, 'write').mockImplementation(write);
  return pino({ level: 'trace' }, { write });
}

const keyRows = async () => (await deployment.database.pool.query<KeyRow>('select * from keys order by agent_id')).rows;

/** Opens a row as only the signer should be able to: the layout is written out here a second time. */
function seedOf(row: KeyRow, dataKey: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', dataKey, row.nonce);
  const version = Buffer.alloc(4);
  version.writeUInt32BE(row.key_version);
  const agent = Buffer.from(row.agent_id.replaceAll('-', ''), 'hex');
  decipher.setAAD(Buffer.concat([Buffer.from('agent-wallet/key/v1\0'), agent, version, row.public_key]));
  decipher.setAuthTag(row.tag);
  return Buffer.concat([decipher.update(row.ciphertext), decipher.final()]);
}

/** Everything that must never be seen: the seeds, the data key, the root key. */
async function allSecrets(): Promise<Buffer[]> {
  const { rows } = await deployment.database.pool.query<{ sealed: Buffer }>('select sealed from data_key_seals');
  const dataKey = await (await SoftwareVault.open(deployment.vaultPath)).unseal(rows[0]!.sealed);
  const seeds = (await keyRows()).map((row) => seedOf(row, dataKey));
  return [dataKey, await readFile(deployment.vaultPath), ...seeds];
}

/** The ways in which bytes may be written down. */
const spellings = (bytes: Buffer): string[] => [
  bytes.toString('hex'),
  bytes.toString('base64').replace(/=+$/, ''),
  bytes.toString('base64url'),
  bytes.toString('latin1'),
  encodeBase58(bytes),
  [...bytes].join(','),
  [...bytes].join(', '),
  inspect(bytes).slice(8, 60),
];

/** A life of the signer in which about everything goes well once and wrong once. Returns what callers saw. */
async function liveThrough(wallet: SignerClient): Promise<unknown[]> {
  const seen: unknown[] = [];
  const call = async (promise: Promise<unknown>) => seen.push(await promise.catch((error: unknown) => error));
  const agents = [newId(), newId(), newId()];
  const addresses = await Promise.all(agents.map(async (agentId) => (await wallet.createKey({ agentId })).address));
  const [agentId, address] = [agents[0]!, addresses[0]!];
  const { address: sponsor } = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR });
  const { address: fees } = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_FEES });
  const honest = honestMessages(address);
  const sponsored = honestMessages(address, { sponsor }).at(-1)!;
  const { pool } = deployment.database;
  const signAll = async () => {
    const [first, second] = honest;
    const cases = [
      ...[first!, second!, { ...first!, message: second!.message }, { ...first!, message: Buffer.alloc(9) }],
      ...[sponsored, { ...sponsored, message: first!.message }, honestMessages(address, { sponsor: fees }).at(-1)!],
    ];
    for (const { message, intent } of cases) {
      const permit = permitOf(claimsFor(message, { agentId, intent }));
      await call(wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit }));
      await call(wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit: { ...permit, keyId: '' } }));
    }
  };
  await signAll();
  await call(wallet.createKey({ agentId: 'x' }));
  await call(wallet.createSystemKey({ wallet: 0 }));
  await call(wallet.createKey({ agentId: SPONSOR_ID }));
  await pool.query('alter table keys rename to keys_away');
  await signAll();
  await call(wallet.createKey({ agentId: newId() }));
  await call(wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR }));
  await pool.query('alter table keys_away rename to keys');
  for (const owner of [agents[1]!, SPONSOR_ID]) {
    const tampered = await pool.query<KeyRow>('select tag from keys where agent_id = $1', [owner]);
    const setTag = (tag: Buffer) => pool.query('update keys set tag = $2 where agent_id = $1', [owner, tag]);
    await setTag(Buffer.alloc(16));
    await call(wallet.createKey({ agentId: agents[1]! }));
    await call(wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR }));
    await signAll();
    await setTag(tampered.rows[0]!.tag);
  }
  return [...seen, ...addresses, sponsor, fees];
}

describe('no key', () => {
  it('is ever in a log line, an error or an answer', async () => {
    const logger = listening();
    const replica = await deployment.start({ logger, openKeyTtlMs: 0 });
    const seen = await liveThrough(await deployment.clientOf(replica, 'wallet'));
    const secrets = await allSecrets();
    await replica.stop();
    const written = [...lines, ...seen.map((value) => inspect(value, { depth: Infinity, showHidden: true }))].join(
      '\n',
    );
    expect(lines.length).toBeGreaterThan(15);
    expect(secrets).toHaveLength(7);
    expect(secrets.flatMap(spellings).filter((text) => written.includes(text))).toEqual([]);
  });

  it('is in the database otherwise than encrypted', async () => {
    const wallet = await deployment.clientOf(await deployment.start(), 'wallet');
    await wallet.createKey({ agentId: newId() });
    await wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR });
    const secrets = await allSecrets();
    const { pool } = deployment.database;
    const rows = [
      ...(await pool.query('select * from keys')).rows,
      ...(await pool.query('select * from data_key_seals')).rows,
    ];
    const stored = rows.flatMap((row) => Object.values(row as object)).filter((value) => Buffer.isBuffer(value));
    expect(stored).toHaveLength(9);
    for (const secret of secrets) expect(stored.filter((bytes) => bytes.includes(secret))).toEqual([]);
  });
});

describe('a row that was tampered with', () => {
  const signWith = async (wallet: SignerClient, agentId: string, address: string) => {
    const { message, intent } = honestMessages(address)[0]!;
    const permit = permitOf(claimsFor(message, { agentId, intent }));
    return wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit });
  };

  it.each([
    ['ciphertext', 'ciphertext = theirs.ciphertext, nonce = theirs.nonce, tag = theirs.tag'],
    ['nonce', 'nonce = theirs.nonce'],
    ['tag', 'tag = theirs.tag'],
  ])("signs nothing when its %s is another agent's", async (_, assignment) => {
    const wallet = await deployment.clientOf(await deployment.start({ openKeyTtlMs: 0 }), 'wallet');
    const [agentId, otherId] = [newId(), newId()];
    const { address } = await wallet.createKey({ agentId });
    await wallet.createKey({ agentId: otherId });
    expect(await signWith(wallet, agentId, address)).toHaveProperty('signature');
    await deployment.database.pool.query(
      `update keys set ${assignment} from (select * from keys where agent_id = $2) as theirs where keys.agent_id = $1`,
      [agentId, otherId],
    );
    await expect(signWith(wallet, agentId, address)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it("does not let an agent's key stand in for the sponsor's, nor the sponsor's for an agent's", async () => {
    const wallet = await deployment.clientOf(await deployment.start({ openKeyTtlMs: 0 }), 'wallet');
    const [agentId, otherId] = [newId(), newId()];
    const { address } = await wallet.createKey({ agentId });
    const { address: other } = await wallet.createKey({ agentId: otherId });
    const { address: sponsor } = await wallet.createSystemKey({ wallet: SYSTEM_WALLET_SPONSOR });
    const signFor = (by: string) => {
      const { message, intent } = honestMessages(address, { sponsor: by }).at(-1)!;
      const permit = permitOf(claimsFor(message, { agentId, intent }));
      return wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit });
    };
    expect(await signFor(sponsor)).toHaveProperty('sponsorSignature');
    const { pool } = deployment.database;
    const move = (from: string, to: string) =>
      pool.query('update keys set agent_id = $2 where agent_id = $1', [from, to]);
    const aside = newId();
    await move(SPONSOR_ID, aside);
    await expect(signFor(sponsor)).rejects.toMatchObject({ data: { reason: 'sponsor_mismatch' } });
    await move(otherId, SPONSOR_ID);
    await expect(signFor(other)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expect(signWith(wallet, aside, sponsor)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it("does not let one agent's permit open another agent's key", async () => {
    const wallet = await deployment.clientOf(await deployment.start({ openKeyTtlMs: 0 }), 'wallet');
    const [agentId, otherId] = [newId(), newId()];
    await wallet.createKey({ agentId });
    const { address } = await wallet.createKey({ agentId: otherId });
    await deployment.database.pool.query('delete from keys where agent_id = $1', [agentId]);
    await deployment.database.pool.query('update keys set agent_id = $1 where agent_id = $2', [agentId, otherId]);
    await expect(signWith(wallet, agentId, address)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});
