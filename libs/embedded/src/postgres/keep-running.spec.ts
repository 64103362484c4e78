import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { end, query, startElsewhere } from '../../test/servers.js';
import { readPostmaster } from './postmaster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';

const ENDED = 'postgres.exited';
const FAILED = 'postgres.start_failed';
const RUNS = 'postgres.restarted';

describe('an embedded Postgres that is kept running', () => {
  let root: string;
  let dataDir: string;
  let cluster: string;
  let logged: string[];
  let server: EmbeddedPostgres | undefined;

  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'embedded-postgres-'));
    chmodSync(root, 0o755);
    dataDir = path.join(root, 'postgres');
    cluster = path.join(dataDir, 'cluster');
    logged = [];
  });

  afterEach(async () => {
    await server?.stop();
    server = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const note = ({ event }: { readonly event: string }): void => void logged.push(event);
  const start = async (): Promise<EmbeddedPostgres> => {
    server = await startEmbeddedPostgres({ dataDir, keepRunning: { warn: note, error: note } });
    return server;
  };
  const pid = (): number => readPostmaster(cluster)!.pid;
  const kill = (): void => void process.kill(pid(), 'SIGKILL');
  const countOf = (message: string): number => logged.filter((one) => one === message).length;

  it('answers again at the same port after each kill -9, with every row and the same settings', async () => {
    const { port } = await start();
    await query(server!, 'CREATE TABLE kept AS SELECT 7 AS n');
    const settings = await query(server!, "SELECT name, setting FROM pg_settings WHERE source = 'command line'");
    for (const life of [1, 2]) {
      kill();
      await eventually(() => countOf(RUNS) === life);
      expect(readPostmaster(cluster)!.port).toBe(port);
      expect(await query(server!, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    }
    expect(await query(server!, "SELECT name, setting FROM pg_settings WHERE source = 'command line'")).toEqual(
      settings,
    );
    expect(logged).toEqual([ENDED, RUNS, ENDED, RUNS]);
  });

  it('is started again under connections that are at work', async () => {
    await start();
    const working = query(server!, 'SELECT pg_sleep(3)').catch((error: Error) => error);
    await eventually(async () => {
      const rows = await query(server!, `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
      return rows.length === 1;
    });
    kill();
    expect(await working).toBeInstanceOf(Error);
    await eventually(() => countOf(RUNS) === 1);
    expect(await query(server!, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('is started again when it was adopted from a run before', async () => {
    const { launcher, port } = await startElsewhere(dataDir);
    await end(launcher, 'SIGKILL');
    server = await startEmbeddedPostgres({
      dataDir,
      durability: 'relaxed',
      keepRunning: { warn: note, error: note },
    });
    expect(server.port).toBe(port);
    kill();
    await eventually(() => countOf(RUNS) === 1);
    expect(await query(server, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('is tried until it starts, and each failure is logged', async () => {
    await start();
    const configuration = path.join(cluster, 'postgresql.conf');
    const good = readFileSync(configuration);
    appendFileSync(configuration, 'no_such_setting = 1\n');
    kill();
    await eventually(() => countOf(FAILED) >= 2);
    writeFileSync(configuration, good);
    await eventually(() => countOf(RUNS) === 1);
    expect(countOf(ENDED)).toBe(1);
    expect(await query(server!, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('is not created again when its files are gone', async () => {
    await start();
    kill();
    rmSync(cluster, { recursive: true, force: true, maxRetries: 5 });
    await eventually(() => countOf(FAILED) >= 1);
    expect(existsSync(cluster)).toBe(false);
  });

  it.each([
    ['while it is down', ENDED, ''],
    ['while it does not start', FAILED, 'no_such_setting = 1\n'],
  ])('stops cleanly %s', async (_when, message, configuration) => {
    await start();
    const good = readFileSync(path.join(cluster, 'postgresql.conf'));
    appendFileSync(path.join(cluster, 'postgresql.conf'), configuration);
    kill();
    await eventually(() => countOf(message) >= 1);
    await server!.stop();
    const before = [...logged];
    writeFileSync(path.join(cluster, 'postgresql.conf'), good);
    expect(existsSync(path.join(dataDir, 'owner.json'))).toBe(false);

    await start();
    expect(await query(server!, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(logged).toEqual(before);
  });
});

/** As in libs/testing, which is built on this library and cannot serve it. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error('it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
