import { existsSync, statfsSync } from 'node:fs';
import os from 'node:os';

/** Memory of this size is worth using in place of a disk: what tests keep takes some tens of megabytes. */
const ENOUGH_SHARED_MEMORY_BYTES = 1024 ** 3;

/**
 * Returns a directory in memory if the machine has enough of it, which makes a database ten times as fast as a busy
 * disk.
 */
export function scratchDirectory(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return os.tmpdir();
  const { bsize, blocks } = statfsSync(memory);
  return bsize * blocks >= ENOUGH_SHARED_MEMORY_BYTES ? memory : os.tmpdir();
}
