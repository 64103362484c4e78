// The other end of a bare call: a process of its own, so that its CPU can be told from ours.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closing } from './closing.mjs';

/**
 * Starts a script of this folder's neighbours that tells its port by IPC once it listens, and leaves with us. What is
 * secret goes into its environment.
 * @returns its `pid` and its `port`
 */
export async function startPeer(script, args = [], environment = {}) {
  const env = { ...process.env, ...environment };
  const child = closing(fork(script, args, { env }), () => child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended before it listened`)));
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  return { pid: child.pid, port };
}

/** In the other process: tells the port, and leaves when the one that started it does. */
export function listens(port) {
  process.once('disconnect', () => process.exit());
  process.send({ port });
}
