import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Secret } from '@agent-wallet/kernel';
import pg from 'pg';
import type { PostgresConnection } from './connection.js';
import { createRolesIn, createServiceRoles } from './roles.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';

let dataDir: string;
let server: EmbeddedPostgres;
let roles: Record<'wallet' | 'policy' | 'events', PostgresConnection>;
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'service-roles-'));
  server = await startEmbeddedPostgres({ dataDir: path.join(dataDir, 'postgres'), durability: 'relaxed' });
  roles = await createServiceRoles(server, ['wallet', 'policy', 'events']);
});
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function query(as: PostgresConnection, sql: string): Promise<unknown[]> {
  const { host, port, user, password, database } = as;
  const client = new pg.Client({ host, port, user, password: password.reveal(), database });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the role of a service', () => {
  it('works in its own schema without naming it', async () => {
    await query(roles.wallet, 'CREATE TABLE IF NOT EXISTS wallets (id int)');
    expect(await query(roles.wallet, 'SELECT current_user, current_schema')).toEqual([
      { current_user: 'wallet', current_schema: 'wallet' },
    ]);
    expect(await query(roles.wallet, 'SELECT * FROM wallet.wallets')).toEqual([]);
  });

  it.each([
    ['reads no table of another service', 'SELECT * FROM wallet.wallets'],
    ['makes nothing in the schema of another service', 'CREATE TABLE wallet.mine (id int)'],
    ['makes nothing in the public schema', 'CREATE TABLE public.mine (id int)'],
    ['makes no schema', 'CREATE SCHEMA mine'],
    ['makes no role', 'CREATE ROLE friend'],
    ['becomes no other role', 'SET ROLE wallet'],
    ['runs no program on the machine', "COPY (SELECT 1) TO PROGRAM 'true'"],
  ])('%s', async (_, sql) => {
    await query(roles.wallet, 'CREATE TABLE IF NOT EXISTS wallets (id int)');
    await expect(query(roles.policy, sql)).rejects.toThrow(/permission denied/);
  });

  it('enters no other database', async () => {
    await expect(query({ ...roles.policy, database: 'postgres' }, 'SELECT 1')).rejects.toThrow(/permission denied/);
  });

  it('has a password that is not another one’s', async () => {
    await expect(query({ ...roles.policy, password: roles.wallet.password }, 'SELECT 1')).rejects.toThrow(
      'password authentication failed',
    );
  });

  it('grants others what it wants to', async () => {
    await query(roles.events, 'CREATE TABLE log (id int); GRANT USAGE ON SCHEMA events TO policy');
    await expect(query(roles.policy, 'SELECT * FROM events.log')).rejects.toThrow('permission denied for table log');
    await query(roles.events, 'GRANT SELECT ON log TO policy');
    expect(await query(roles.policy, 'SELECT * FROM events.log')).toEqual([]);
  });

  it('stays as it is at the next start, while a new service is added', async () => {
    await query(roles.wallet, 'CREATE TABLE IF NOT EXISTS kept (id int)');
    const again = await createServiceRoles(server, ['wallet', 'history']);
    expect(again.wallet.password.reveal()).toBe(roles.wallet.password.reveal());
    expect(await query(again.wallet, 'SELECT * FROM kept')).toEqual([]);
    expect(await query(again.history, 'SELECT current_schema')).toEqual([{ current_schema: 'history' }]);
  });

  it('owns no schema that is owned apart: it writes rows there until its owner forbids it', async () => {
    const { prediction, prediction_owner: owner } = await createServiceRoles(server, ['prediction'], ['prediction']);
    await query(owner, 'CREATE TABLE kept (id int default 1); REVOKE UPDATE ON kept FROM prediction');
    await query(prediction, 'INSERT INTO kept DEFAULT VALUES');
    expect(await query(prediction, 'SELECT id, current_schema FROM kept')).toEqual([
      { id: 1, current_schema: 'prediction' },
    ]);
    const again = await createServiceRoles(server, ['prediction'], ['prediction']);
    expect(again.prediction_owner.password.reveal()).toBe(owner.password.reveal());
    for (const sql of [
      'UPDATE kept SET id = 2',
      'TRUNCATE kept',
      'CREATE TABLE mine (id int)',
      'ALTER TABLE kept ADD x int',
    ])
      await expect(query(again.prediction, sql)).rejects.toThrow(/permission denied|must be owner/);
    await expect(query(roles.policy, 'SELECT * FROM prediction.kept')).rejects.toThrow('permission denied');
  });

  it('gives up a schema that was its own, with what it made there, and may be handed tables by the owner', async () => {
    const { swap } = await createServiceRoles(server, ['swap']);
    await query(swap, 'CREATE TABLE kept (id int default 1); INSERT INTO kept DEFAULT VALUES');
    const apart = await createServiceRoles(server, ['swap'], ['swap']);
    await query(apart.swap, 'UPDATE kept SET id = 2');
    await expect(query(apart.swap, 'DROP TABLE kept')).rejects.toThrow('must be owner');
    await expect(query(apart.swap, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
    await query(
      apart.swap_owner,
      'CREATE TABLE made (id int); GRANT CREATE ON SCHEMA swap TO swap; ALTER TABLE made OWNER TO swap',
    );
    const again = await createServiceRoles(server, ['swap'], ['swap']);
    await query(again.swap, 'ALTER TABLE made RENAME TO mine');
    await expect(query(again.swap, 'DROP TABLE kept')).rejects.toThrow('must be owner');
  });

  it('does not show its password', () => {
    expect(JSON.stringify(roles)).not.toContain(roles.wallet.password.reveal());
  });
});

describe('roles in a database that is given', () => {
  const MAKER = { user: 'maker', password: new Secret('maker') };
  const options = { services: ['wallet', 'prediction'], ownedApart: ['prediction'], prefix: 'given_' } as const;

  it('are made by its owner who may create roles, once, and see their own schema alone', async () => {
    await query(server, `CREATE ROLE maker LOGIN CREATEROLE PASSWORD 'maker'`);
    await query(server, 'CREATE DATABASE given OWNER maker');
    const maker = { ...server, ...MAKER, database: 'given' };
    const made = await createRolesIn(maker, { ...options, passwordsDir: dataDir });
    const again = await createRolesIn(maker, { ...options, passwordsDir: dataDir });
    expect(again.wallet.password.reveal()).toBe(made.wallet.password.reveal());
    await query(made.prediction_owner, 'CREATE TABLE kept (id int default 1)');
    await query(made.prediction, 'INSERT INTO kept DEFAULT VALUES');
    expect(await query(made.wallet, 'SELECT current_user, current_schema')).toEqual([
      { current_user: 'given_wallet', current_schema: 'wallet' },
    ]);
    await expect(query(made.wallet, 'SELECT * FROM prediction.kept')).rejects.toThrow('permission denied');
    await expect(query(made.prediction, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(made.wallet, 'CREATE ROLE friend')).rejects.toThrow('permission denied');
  });
});
