import { createDecipheriv } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { encodeBase58 } from '@agent-wallet/solana';
import type { DatabaseReader } from './data-folder.js';

interface KeyRow {
  readonly agent_id: string;
  readonly key_version: number;
  readonly public_key: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/**
 * Everything that only the signer may ever hold, opened as only it should be able to: the seed of every key, by whose it
 * is, and the data keys. How they are sealed is written out here a second time.
 */
export async function openedSecrets(dataDir: string, database: DatabaseReader): Promise<Map<string, Buffer>> {
  const rootKey = await readFile(path.join(dataDir, 'vault', 'root-key'));
  const dataKeys = await readDataKeys(database, rootKey);
  const secrets = new Map([...dataKeys].map(([version, key]) => [`data key ${version}`, key]));
  secrets.set('root key', rootKey);
  for (const row of await database<KeyRow>('select * from signer.keys')) {
    secrets.set(`seed of ${row.agent_id}`, seedOf(row, dataKeys.get(row.key_version)!));
  }
  return secrets;
}

async function readDataKeys(database: DatabaseReader, rootKey: Buffer): Promise<Map<number, Buffer>> {
  const rows = await database<{ version: number; sealed: Buffer }>(
    `select version, sealed from signer.data_key_seals where vault_driver = 'software'`,
  );
  return new Map(rows.map(({ version, sealed }) => [version, unsealed(sealed, rootKey)]));
}

function unsealed(sealed: Buffer, rootKey: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', rootKey, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from('agent-wallet/software-vault/v1\0'));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}

function seedOf(row: KeyRow, dataKey: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', dataKey, row.nonce);
  const version = Buffer.alloc(4);
  version.writeUInt32BE(row.key_version);
  const owner = Buffer.from(row.agent_id.replaceAll('-', ''), 'hex');
  decipher.setAAD(Buffer.concat([Buffer.from('agent-wallet/key/v1\0'), owner, version, row.public_key]));
  decipher.setAuthTag(row.tag);
  return Buffer.concat([decipher.update(row.ciphertext), decipher.final()]);
}

/** Something that is looked for, and what it would be. */
export interface Needle {
  readonly what: string;
  readonly bytes: Buffer;
}

/** The texts in which bytes may be written down: whole, or as part of something longer that is in base64. */
export function spellings(secret: Buffer): Map<string, string> {
  const inside = [0, 1, 2].map((before): [string, string] => {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    // What depends on the bytes before and after is left out.
    return [`base64, ${before} bytes in`, text.slice(4, 40)];
  });
  const forms: Array<[string, string]> = [
    ['hex', secret.toString('hex')],
    ['HEX', secret.toString('hex').toUpperCase()],
    ['base58', encodeBase58(secret)],
    ['numbers', [...secret].join(',')],
    ...inside,
  ];
  const inUrls = forms.map(([form, text]): [string, string] => [
    `${form} in URLs`,
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
  return new Map([...forms, ...inUrls]);
}

/** Every secret in every form, as bytes. */
export function needlesOf(secrets: ReadonlyMap<string, Buffer>): Needle[] {
  return [...secrets].flatMap(([what, secret]) => [
    { what: `${what}, raw`, bytes: secret },
    ...[...spellings(secret)].flatMap(([form, text]) => [
      { what: `${what}, ${form}`, bytes: Buffer.from(text, 'latin1') },
      { what: `${what}, ${form}, two bytes each`, bytes: Buffer.from(text, 'utf16le') },
    ]),
  ]);
}
