import { type Disk, systemDisk } from '../src/journal/disk.js';

/** A disk that fills up when a test says so: half of the record that does not fit is written, as a real one does. */
export class SmallDisk implements Disk {
  /** Record types there is no space for; "all" of them when the disk is full. */
  full: 'all' | readonly number[] = [];
  /** How many records did not fit. */
  refused = 0;
  truncateFails = false;
  syncFails = false;

  write(fd: number, bytes: Buffer, from: number): number {
    const fits = this.full !== 'all' && !this.full.includes(bytes[8]!);
    if (fits) return systemDisk.write(fd, bytes, from);
    if (from === 0) return systemDisk.write(fd, bytes.subarray(0, bytes.length >> 1), 0);
    this.refused += 1;
    throw noSpace();
  }

  truncate(fd: number, size: number): void {
    if (this.truncateFails) throw noSpace();
    systemDisk.truncate(fd, size);
  }

  async sync(fd: number): Promise<void> {
    if (this.syncFails) throw noSpace();
    await systemDisk.sync(fd);
  }
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}
