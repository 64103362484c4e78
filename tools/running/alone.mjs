import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './process.mjs';

const POLL_MS = 200;

/**
 * Runs work while no other process of this checkout does: two builds at once would read what the other has half written.
 * The mark of a process that was killed does not hold up the next one.
 */
export async function alone(work, file = path.join(root, '.data', 'building')) {
  await mkdir(path.dirname(file), { recursive: true });
  for (let said = false; !(await isMarked(file)); await pause(POLL_MS)) {
    if (!said) console.log('Another command builds in this folder. Waiting for it.');
    said = true;
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Marks the work as this process's; reports false while another one that lives has marked it. */
async function isMarked(file) {
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    // A link appears whole or not at all.
    await link(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const owner = await readFile(file, 'utf8').catch(() => undefined);
    if (owner !== undefined && !isAlive(Number(owner))) await rm(file, { force: true });
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
