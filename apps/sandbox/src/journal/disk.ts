import { fdatasync, ftruncateSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** What the journal asks of the file system; a test puts one in its place that fails. */
export interface Disk {
  /** Appends the bytes from `from` on, or the first of them; answers how many. */
  write(fd: number, bytes: Buffer, from: number): number;
  truncate(fd: number, size: number): void;
  /** Resolves when everything written is on the device. */
  sync(fd: number): Promise<void>;
}

/** The machine's own. */
export const systemDisk: Disk = {
  write: (fd, bytes, from) => writeSync(fd, bytes, from),
  truncate: ftruncateSync,
  sync: promisify(fdatasync),
};
