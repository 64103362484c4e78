import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { end, query, startElsewhere } from '../../test/servers.js';
import { canEnter } from './account.js';
import { DataDirectoryInUse } from './ownership.js';
import { readPostmaster } from './postmaster.js';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start.js';

const isRoot = process.getuid?.() === 0;
const UNPRIVILEGED = 65_534;
/** Whether a user without privileges can run what is built here. */
const canServeOthers = isRoot && canEnter({ uid: UNPRIVILEGED, gid: UNPRIVILEGED }, import.meta.dirname);

let root: string;
/** A data directory whose Postgres is stopped. */
let made: string;
let dataDir: string;
let running: EmbeddedPostgres[];

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'embedded-postgres-'));
  chmodSync(root, 0o755);
  mkdirSync(path.join(root, 'made'));
  made = path.join(root, 'made', 'postgres');
  await (await startEmbeddedPostgres({ dataDir: made, durability: 'relaxed' })).stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = path.join(mkdtempSync(path.join(root, 'case-')), 'postgres');
  chmodSync(path.dirname(dataDir), 0o755);
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.stop();
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, durability: 'relaxed', ...options });
  running.push(server);
  return server;
}

/** Copies a data directory: to make a cluster takes ten times the CPU. */
function copyMade(to = dataDir): void {
  execFileSync('cp', ['-a', made, to]);
}

/** Starts on a cluster that was made before. */
function startMade(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  copyMade(options.dataDir);
  return start(options);
}

describe('embedded Postgres', () => {
  it('reports its launch while it holds its directory and does not answer yet', async () => {
    const seen: unknown[] = [];
    const launched = () => void seen.push(readPostmaster(path.join(dataDir, 'cluster'))?.ready ?? false);
    await start({ launched });
    expect(seen).toEqual([false, false]); // to make the cluster, and to run it
    await expect(start({ launched })).rejects.toThrow(DataDirectoryInUse);
    expect(seen).toHaveLength(2);
  });

  it('keeps its rows and its password from start to start', async () => {
    const first = await startMade();
    await query(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    expect(existsSync(path.join(dataDir, 'cluster', 'postmaster.pid'))).toBe(false);

    const second = await start();
    expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    expect(second.password.reveal()).toBe(first.password.reveal());
  });

  it('writes what is acknowledged to the disk with full durability', async () => {
    const durable = await start({ durability: 'full' });
    expect(await query(durable, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(durable, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    expect(await query(durable, 'SHOW max_connections')).toEqual([{ max_connections: '200' }]);
  });

  it('lets no client in without the password, which only its owner can read', async () => {
    const { host, port, user, database } = await startMade();
    const client = new pg.Client({ host, port, user, database, password: 'postgres' });
    await expect(client.connect()).rejects.toThrow('password authentication failed');
    expect((statSync(path.join(dataDir, 'passwords.json')).mode & 0o777).toString(8)).toBe('600');
  });

  it('runs beside another copy, each on its own port', async () => {
    const [one, other] = await Promise.all([startMade(), startMade({ dataDir: `${dataDir}-too` })]);
    expect(one.port).not.toBe(other.port);
    await query(one, 'CREATE TABLE mine (n int)');
    await expect(query(other, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
  });

  it('listens on the requested port, also when an orphan listens elsewhere', async () => {
    const first = await startMade();
    first.detach();
    const wanted = first.port === 65_000 ? 65_001 : 65_000;
    const second = await start({ port: wanted });
    expect(second.port).toBe(wanted);
    running = [second];
  });

  it('refuses a second living owner, says who the first is, and leaves it alone', async () => {
    const first = await startMade();
    await expect(start()).rejects.toThrow(DataDirectoryInUse);
    await expect(start()).rejects.toThrow(`in use by process ${process.pid}`);
    expect(await query(first, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('adopts what a killed process left running', async () => {
    copyMade();
    const { launcher, port } = await startElsewhere(dataDir);
    const { pid } = readPostmaster(path.join(dataDir, 'cluster'))!;
    await end(launcher, 'SIGKILL');

    const adopted = await start();
    expect(adopted.port).toBe(port);
    expect(readPostmaster(path.join(dataDir, 'cluster'))!.pid).toBe(pid);
    expect(await query(adopted, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('starts an orphan again when it runs with other settings', async () => {
    const first = await startMade();
    first.detach();
    const second = await start({ durability: 'full' });
    expect(await query(second, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    running = [second];
  });

  it('loses no acknowledged row when Postgres itself is killed', async () => {
    const first = await startMade({ durability: 'full' });
    await query(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    process.kill(readPostmaster(path.join(dataDir, 'cluster'))!.pid, 'SIGKILL');
    await first.stop();
    const second = await start({ durability: 'full' });
    expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  it('does not take another process with the number of a dead one for its own', async () => {
    const first = await startMade();
    await first.stop();
    const stalePostmaster = `${process.pid}\n${dataDir}/cluster\n0\n${first.port}\n\n127.0.0.1\n\nready\n`;
    writeFileSync(path.join(dataDir, 'cluster', 'postmaster.pid'), stalePostmaster);
    writeFileSync(path.join(dataDir, 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: 'another time' }));
    const second = await start();
    expect(await query(second, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('starts over when it was killed while the cluster was made', async () => {
    mkdirSync(path.join(dataDir, 'cluster.init', 'files'), { recursive: true });
    writeFileSync(path.join(dataDir, 'cluster.init', 'files', 'half'), '');
    expect(await query(await start(), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('reports why it does not start', async () => {
    const first = await startMade();
    await first.stop();
    writeFileSync(path.join(dataDir, 'cluster', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/no_such_setting/);
    expect(existsSync(path.join(dataDir, 'owner.json'))).toBe(false);
    running = [];
  });

  (isRoot ? it : it.skip)('serves root from a directory that Postgres’ account cannot enter [needs root]', async () => {
    const closed = path.dirname(dataDir);
    chownSync(closed, UNPRIVILEGED - 1, UNPRIVILEGED - 1);
    chmodSync(closed, 0o700);
    const first = await start();
    const cluster = realpathSync(path.join(dataDir, 'cluster'));
    await query(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    const second = await start();
    expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    expect(statSync(closed).mode & 0o777).toBe(0o700);
    expect(cluster.startsWith(dataDir)).toBe(false);
    await second.stop();
    rmSync(cluster, { recursive: true });
    await expect(start()).rejects.toThrow(`remove ${dataDir}`);
  });

  (isRoot ? it : it.skip)('stays in a temporary directory of root, and makes it passable [needs root]', async () => {
    const temporary = path.dirname(dataDir);
    chmodSync(temporary, 0o700);
    expect(await query(await start(), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(realpathSync(path.join(dataDir, 'cluster'))).toBe(path.join(dataDir, 'cluster'));
    expect(statSync(temporary).mode & 0o777).toBe(0o711);
  });

  (canServeOthers ? it : it.skip)(
    'serves an ordinary user [needs root, and a folder that others may enter]',
    async () => {
      chmodSync(path.dirname(dataDir), 0o777);
      const { launcher } = await startElsewhere(dataDir, UNPRIVILEGED);
      expect(statSync(path.join(dataDir, 'cluster')).uid).toBe(UNPRIVILEGED);
      await end(launcher, 'SIGTERM');
      expect(existsSync(path.join(dataDir, 'cluster', 'postmaster.pid'))).toBe(false);
    },
  );
});
