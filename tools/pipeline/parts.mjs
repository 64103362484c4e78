// Processes on either side of the stream, each with its task in its environment.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { closing } from '../measuring/closing.mjs';

/**
 * Starts one of the scripts beside this one and waits until it is ready. `connection` and the rest of its task reach it
 * by its environment, because a password is in it.
 */
export async function startPart(script, { connection, ...rest }) {
  const task = { ...rest, connection: connection && { ...connection, password: connection.password.reveal() } };
  const env = { ...process.env, BENCH_TASK: JSON.stringify(task) };
  const child = fork(path.join(import.meta.dirname, script), [], { env });
  closing(child, () => child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended before it was ready`)));
  await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  return {
    /** Tells it to begin. */
    go: (what = {}) => child.send(what),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
