// The other end of a bare part: a process that does nothing else, and says at which port.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { closing } from '../../measuring/closing.mjs';

/** Starts a module of this folder. @returns its `port`, and `isPeer(process)` */
export async function startPeer(name, args = []) {
  const child = fork(path.join(import.meta.dirname, name), args);
  closing(child, () => child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`)));
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  return { port, isPeer: ({ pid }) => pid === child.pid };
}
