// One process of this machine at a time.
import { open, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FILE = path.join(os.tmpdir(), 'agent-wallet-custody-install.lock');
const WAIT_LIMIT_MS = 10 * 60_000;
const POLL_MS = 200;

/** Does it while no other process does, and waits for that. A lock whose process is gone counts no more. */
export async function withLock(work) {
  const until = performance.now() + WAIT_LIMIT_MS;
  while (!(await take())) {
    if (performance.now() > until) throw new Error(`Another process has been at it for long; if not, remove ${FILE}.`);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(FILE, { force: true });
  }
}

async function take() {
  try {
    const handle = await open(FILE, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = Number(await readFile(FILE, 'utf8').catch(() => ''));
  // Empty: its owner is about to write its number.
  if (owner && !isAlive(owner)) await rm(FILE, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
