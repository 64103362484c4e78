import { startConsole } from '@agent-wallet/console';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { createLogger } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { SUPERUSER_PASSWORD } from '../src/cluster/kept-objects.js';
import { makeSchemas } from '../src/cluster/schemas-of-services.js';
import { provideFiles } from '../src/compose/provide-files.js';
import { DEPLOY, readCompose, variablesOf } from './compose/read.js';
import { COMPOSE_FILE } from './compose/shape.js';

const run = promisify(execFile);
const PROGRAMS = path.join(import.meta.dirname, '..', '..', '..');
const SMTP_URL = 'smtp://agent:pass word#1$HOME@mail.example:587';

let directory: string;
let keptDir: string;
let volumesDir: string;
let postgres: EmbeddedPostgres;

const inVolume = (file: string) => readFileSync(path.join(volumesDir, file), 'utf8');

const provideAgain = () =>
  provideFiles({ keptDir, volumesDir, given: { SMTP_URL }, logger: createLogger('provide', 'silent') });

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'compose-jobs-'));
  [keptDir, volumesDir] = [path.join(directory, 'kept'), path.join(directory, 'volumes')];
  postgres = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres') });
  // This server has its password already.
  mkdirSync(path.dirname(path.join(keptDir, SUPERUSER_PASSWORD)), { recursive: true });
  writeFileSync(path.join(keptDir, SUPERUSER_PASSWORD), postgres.password.reveal());
  await provideAgain();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true });
});

describe('the job that provides', () => {
  it('leaves everything as it is when it runs again', async () => {
    const files = [
      'gateway/tls/tls.key',
      'signer/vault/root-key',
      'policy/permit-keys/0001.pem',
      'gateway/settings.env',
    ];
    const before = files.map(inVolume);
    await provideAgain();
    expect(files.map(inVolume)).toEqual(before);
  });

  it('gives files to their owner alone, except where a container runs as another user', () => {
    const modeOf = (file: string) => (statSync(path.join(volumesDir, file)).mode & 0o777).toString(8);
    expect(['signer/vault/root-key', 'gateway/tls/tls.key', 'wallet/database/password'].map(modeOf)).toEqual([
      '600',
      '600',
      '600',
    ]);
    expect(['postgres/password', 'grafana/password'].map(modeOf)).toEqual(['444', '444']);
  });

  it('fills every volume that the compose file has for secrets, and no other', () => {
    const { volumes } = COMPOSE_FILE.parse(readCompose(variablesOf('compose/sandbox.env')));
    const declared = Object.keys(volumes).flatMap((name) => /^(.+)-secrets$/.exec(name)?.[1] ?? []);
    expect(readdirSync(volumesDir).sort()).toEqual(declared.sort());
  });

  it('writes variables that Node reads as they were meant', async () => {
    const file = path.join(volumesDir, 'gateway', 'settings.env');
    const { stdout } = await run(process.execPath, [`--env-file=${file}`, '-p', 'process.env.SMTP_URL'], { env: {} });
    expect(stdout.trim()).toBe(SMTP_URL);
  });

  it('gives passwords that the database takes, for each role its own schema', async () => {
    const server = { ...postgres, database: 'postgres' };
    await makeSchemas(server, keptDir);
    const logIn = async (user: string, file: string) => {
      const { host, port } = postgres;
      const client = new pg.Client({ host, port, user, password: inVolume(file), database: 'agent_wallet' });
      await client.connect();
      const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
      await client.end();
      return rows[0]!.schema;
    };
    expect(await logIn('gateway', 'gateway/database/password')).toBe('gateway');
    expect(await logIn('history', 'history/database/password')).toBe('history');
    expect(await logIn('history_owner', 'history-migration/database/password')).toBe('history');
    await expect(logIn('history_owner', 'history/database/password')).rejects.toThrow('authentication failed');
  });
});

describe('commands for a database', () => {
  /** What one says that is started as the compose file starts it, with files and the server of this test. */
  const say = async (name: string, role: string, args: readonly string[]) => {
    const { entrypoint, environment } = COMPOSE_FILE.parse(readCompose(variablesOf('compose/sandbox.env'))).services[
      name
    ]!;
    const [shell, ...words] = entrypoint!.map((word) =>
      word.replaceAll('$$', '$').replace('/run/secrets', path.join(volumesDir, role)),
    );
    const url = environment!['DATABASE_URL']!.replace('postgres:5432', `${postgres.host}:${postgres.port}`);
    const options = { cwd: PROGRAMS, env: { ...process.env, DATABASE_URL: url } };
    return run(shell!, [...words, ...args], options).catch((error: { readonly stdout: string }) => error);
  };
  it('get in as the role that may, with the password of its volume', async () => {
    await makeSchemas({ ...postgres, database: 'postgres' }, keptDir);
    const recipient = path.join(directory, 'recipient.pem');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
    writeFileSync(recipient, publicKey.export({ type: 'spki', format: 'pem' }));
    const backup = ['backup', '--to', path.join(directory, 'keys.backup'), '--recipient', recipient];
    // They are in: what they miss next is what migrations make.
    expect((await say('audit', 'history', [])).stdout).toContain('"log_batches" does not exist');
    expect((await say('keys', 'signer', backup)).stdout).toContain('schema_migrations');
    // The password of another role.
    expect((await say('audit', 'signer', [])).stdout).toContain('authentication failed');
  });
});

describe('the health check', () => {
  const ask = (address: string) =>
    run(process.execPath, [path.join(DEPLOY, 'compose', 'health.mjs'), address]).then(
      () => 0,
      (error: { readonly code: number }) => error.code,
    );

  it('hears SERVING, and takes everything else for trouble', async () => {
    const server = new Server();
    const health = new HealthImplementation({ '': 'SERVING' });
    health.addToServer(server);
    const port = await promisify<string, ServerCredentials, number>(server.bindAsync.bind(server))(
      '127.0.0.1:0',
      ServerCredentials.createInsecure(),
    );
    const address = `127.0.0.1:${port}`;
    expect(await ask(address)).toBe(0);
    health.setStatus('', 'NOT_SERVING');
    expect(await ask(address)).toBe(1);
    server.forceShutdown();
    expect(await ask(address)).toBe(1);
  });
});

describe('the health check of the console', () => {
  it('passes while it answers, and fails after', async () => {
    const logger = createLogger('console', 'silent');
    const server = await startConsole({ address: '127.0.0.1:0', logger }, () => undefined);
    const { healthcheck } = COMPOSE_FILE.parse(readCompose(variablesOf('compose/sandbox.env'))).services['console']!;
    const [, , ...words] = healthcheck!.test.map((word) => word.replace('127.0.0.1:8081', server.address));
    const ask = () =>
      run(process.execPath, words).then(
        () => 0,
        (error: { readonly code: number }) => error.code,
      );
    expect(await ask()).toBe(0);
    await server.stop();
    expect(await ask()).toBe(1);
  });
});
