import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../src/postgres/start.js';

/** Runs a statement over a connection of its own. */
export async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const { host, port, user, database } = server;
  const client = new pg.Client({ host, port, user, password: server.password.reveal(), database });
  // A connection that is lost fails its statement; it also emits this.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts Postgres from a process of its own, which can be killed, or run as another user. */
export async function startElsewhere(dataDir: string, uid?: number): Promise<{ launcher: ChildProcess; port: number }> {
  const program = `
    import { startEmbeddedPostgres } from '@agent-wallet/embedded';
    const server = await startEmbeddedPostgres({ dataDir: process.argv[1], durability: 'relaxed' });
    process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
    setInterval(() => {}, 1_000);
    process.stdout.write(String(server.port));`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir], {
    cwd: path.join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    launcher.stdout.once('data', (chunk) => resolve(Number(chunk)));
    launcher.once('exit', (code) => reject(new Error(`the launcher ended: ${code}`)));
  });
  return { launcher, port };
}

/** Ends a process and waits until it is gone. */
export async function end(launcher: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => launcher.once('exit', resolve));
  launcher.kill(signal);
  await ended;
}
