import { type Environment, readSettings, setting } from '@agent-wallet/platform';
import { type BackupHeader, type BackupPage, SignerTables } from '../adapters/signer-tables.js';
import type { Print } from '../print.js';
import { BackupError } from './backup-error.js';
import { readBackup, writeBackup } from './backup-file.js';
import type { KeysInput } from './keys-input.js';

type Input = Pick<KeysInput, 'file' | 'key' | 'schema'>;
type Counts = Record<string, number>;

const databaseOf = (environment: Environment) =>
  readSettings({ DATABASE_URL: setting.postgres() }, environment).DATABASE_URL;

/** Writes the signer's tables to an encrypted file. @throws BackupError, SettingsError */
export async function backUp({ file, key, schema }: Input, environment: Environment, print: Print): Promise<object> {
  const counts: Counts = {};
  await SignerTables.work(databaseOf(environment), schema, async (tables) => {
    const unknown = await tables.unknownTables();
    if (unknown.length > 0) throw new BackupError(`the schema has tables that no backup knows: ${unknown.join(', ')}`);
    const lines = async function* () {
      yield JSON.stringify(await tables.header());
      for await (const page of tables.pages()) {
        note(counts, page);
        yield JSON.stringify(page);
      }
    };
    await writeBackup(file, key, lines());
  });
  print(`${file} has ${sumOf(counts)}`);
  return { file, counts };
}

/** Opens a backup to its end and counts what it holds. @throws BackupError */
export async function checkBackup({ file, key }: Input, _environment: Environment, print: Print): Promise<object> {
  const counts: Counts = {};
  const { header, pages } = await openBackup(file, key);
  for await (const page of pages) note(counts, page);
  print(`${file} is whole: ${sumOf(counts)}, as of the migration ${header.migrations.at(-1)}`);
  return { file, counts, migration: header.migrations.at(-1) };
}

/** Fills the signer's empty tables from a file, all or nothing. @throws BackupError, SettingsError */
export async function restore({ file, key, schema }: Input, environment: Environment, print: Print): Promise<object> {
  const counts: Counts = {};
  const { header, pages } = await openBackup(file, key);
  await SignerTables.work(databaseOf(environment), schema, async (tables) => {
    await mustFit(tables, header);
    for await (const page of pages) {
      await tables.add(page);
      note(counts, page);
    }
  });
  print(`restored ${sumOf(counts)}; start a signer with the vault that sealed the data keys, or with the recovery key`);
  return { counts };
}

async function mustFit(tables: SignerTables, { migrations }: BackupHeader): Promise<void> {
  const own = await tables.header().catch(() => {
    throw new BackupError('the schema was not migrated yet: migrate it, and start no signer before this');
  });
  if (own.migrations.join() !== migrations.join()) {
    throw new BackupError(
      `the backup is of the migration ${migrations.at(-1)}, the schema of ${own.migrations.at(-1)}`,
    );
  }
  const filled = await tables.filled();
  if (filled.length > 0) throw new BackupError(`there is something in ${filled.join(', ')}: nothing was written`);
}

async function openBackup(file: string, key: string) {
  const lines = readBackup(file, key);
  const first = await lines.next();
  const header = JSON.parse(String(first.value ?? '{}')) as BackupHeader;
  const pages = async function* () {
    for await (const line of lines) yield JSON.parse(line) as BackupPage;
  };
  return { header, pages: pages() };
}

function note(counts: Counts, { table, rows }: BackupPage): void {
  counts[table] = (counts[table] ?? 0) + rows.length;
}

function sumOf({ keys = 0, data_keys = 0, data_key_seals = 0 }: Counts): string {
  return `${keys} keys under ${data_keys} data keys with ${data_key_seals} seals`;
}
