import { eventually, freePort, openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, readdir } from 'node:fs/promises';
import pg from 'pg';
import { AgentClient, SandboxClient } from '../src/index.js';
import { Copies, end } from './harness/copies.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf } from './harness/spending.js';

const processes = new Copies('processes');
let database: TestDatabase;

/** No superuser: the database's owner, who may create roles. */
const urlOf = (user: string, password = 'secret') => {
  const { host, port, database: name } = database.connection;
  return `postgres://${user}:${password}@${host}:${port}/${name}`;
};

const roleNamed = (name: string) => `${database.connection.database}_${name}`;

beforeAll(async () => {
  database = await openTestDatabase();
  const admin = new pg.Client(database.connection);
  await admin.connect();
  await admin.query(`create role "${roleNamed('maker')}" login createrole password 'secret';
    create role "${roleNamed('nobody')}" login password 'secret';
    alter database "${database.connection.database}" owner to "${roleNamed('maker')}";`);
  await admin.end();
});

afterEach(() => processes.clean());

afterAll(() => database.close());

/** The process of a service that a copy has started. */
async function pidOf(service: string, parent: number): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [stat, commandLine] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    );
    const isChild = stat!.slice(stat!.lastIndexOf(')')).split(' ')[2] === String(parent);
    if (isChild && commandLine!.includes(`/apps/${service}/`)) return Number(pid);
  }
  throw new Error(`no process of ${service}`);
}

describe('every service as a process of its own', () => {
  it('moves money, comes back after a kill, stops in order, and finds everything at a start without a broker', async () => {
    const directory = await processes.dataDir();
    const environment = { DATABASE_URL: urlOf(roleNamed('maker')), SANDBOX_SLOT_MS: '0' };
    const first = await processes.start(directory, environment);
    for (const service of ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'])
      expect(first.output()).toMatch(new RegExp(`^${service} +127\\.0\\.0\\.1:\\d+`, 'm'));
    expect(first.output()).toMatch(/^Events +through Postgres/m);
    const sandbox = new SandboxClient(first.adminUrl);
    const agent = await AgentClient.logIn(first.url, sandbox, 'a@agents.example');
    await sandbox.faucet(agent.address, 'SOL', 1);
    expect((await agent.transfer({ to: newRecipient(), amount: 0.1 })).status).toBe(200);

    process.kill(await pidOf('wallet', first.child.pid!), 'SIGKILL');
    const again = await eventually(
      () => agent.transfer({ to: newRecipient(), amount: 0.1 }),
      ({ status }) => status === 200,
    );
    expect(again.body.data.status).toBe('confirmed');
    const recorded = () =>
      eventually(
        () => transfersOf(agent),
        (found) => found.filter(({ status }) => status === 'confirmed').length === 2,
      );
    await recorded();
    expect(await end(first.child, 'SIGTERM')).toBe(0);

    const ports = { PORT: new URL(first.url).port, SANDBOX_ADMIN_PORT: new URL(first.adminUrl).port };
    const broker = `127.0.0.1:${await freePort()}`;
    const second = await processes.start(directory, { ...environment, ...ports, KAFKA_BROKERS: broker });
    expect(second.output()).toContain(`through Kafka at ${broker}: no broker answers there`);
    expect(await recorded()).toHaveLength(2);
    expect((await agent.transfer({ to: newRecipient(), amount: 0.1 })).status).toBe(200);
    expect(await end(second.child, 'SIGTERM')).toBe(0);
  });
});

describe('a database that cannot be used', () => {
  const cases: ReadonlyArray<[string, () => Promise<string> | string, string | RegExp]> = [
    ['is not named', () => '', 'DATABASE_URL is required'],
    ['is away', async () => `postgres://a:b@127.0.0.1:${await freePort()}/c`, 'start it, or correct host and port'],
    ['refuses the password', () => urlOf(roleNamed('maker'), 'wrong'), 'correct the user or the password'],
    ['does not exist', () => urlOf(roleNamed('maker')).replace(/[^/]+$/, 'none'), 'createdb none'],
    ['is another’s', () => urlOf(roleNamed('nobody')), /may not make the roles and schemas.*CREATEROLE/],
  ];

  it.each(cases)('that %s is named, with what to do', async (_, url, said) => {
    const { child, output } = await processes.attempt(await processes.dataDir(), { DATABASE_URL: await url() });
    expect(child.exitCode).toBe(1);
    expect(output()).toMatch(said);
    expect(output()).not.toMatch(/^ +at /m);
  });
});
