import { createSchemas } from '@agent-wallet/embedded';
import { Secret } from '@agent-wallet/kernel';
import { readSettings, setting } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { schemaOwners } from './infrastructure/schema-owners.js';

// Makes the schemas and roles of all services in DATABASE_URL, as a superuser there, with passwords from ROLE_PASSWORDS_PATH, a
// folder with a file for each role. What exists stays.
const read = readSettings({
  DATABASE_URL: setting.postgres(),
  DATABASE_PASSWORD_PATH: setting.path().optional(),
  ROLE_PASSWORDS_PATH: setting.path(),
});
const passwordIn = async (file: string) => (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
const { host, port, user, database, tls } = read.DATABASE_URL;
const password = read.DATABASE_PASSWORD_PATH
  ? await passwordIn(read.DATABASE_PASSWORD_PATH)
  : read.DATABASE_URL.password.reveal();
const ssl = tls ? { rejectUnauthorized: true } : false;
const admin = new pg.Client({ host, port, user, database, password, ssl });
await admin.connect();
try {
  const owners = await schemaOwners(
    async (role) => new Secret(await passwordIn(path.join(read.ROLE_PASSWORDS_PATH, role))),
  );
  await createSchemas(admin, owners);
} finally {
  await admin.end();
}
