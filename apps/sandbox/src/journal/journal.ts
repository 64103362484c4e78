import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Disk, systemDisk } from './disk.js';
import { JournalNotWritten } from './journal-not-written.js';

/** length u32, checksum u32, type u8 */
const HEADER_BYTES = 9;
const READ_CHUNK_BYTES = 4 << 20;
const MAX_PAYLOAD_BYTES = 64 << 20;

/** One record as it is read back: what it is, its bytes, and where they lie in the file. */
export interface JournalRecord {
  readonly type: number;
  readonly payload: Buffer;
  readonly offset: number;
}

/**
 * The sandbox's memory: one append-only file of checksummed records, each written before its effect is visible.
 *
 * A record is handed to the kernel at once (`append`), so a killed process loses nothing it ever showed; `synced()`
 * resolves once the disk has it too, and one sync serves every caller that waited (group commit). At the next start
 * the records are read in order; a tail torn by the kill is cut off, since its effect was never visible.
 */
export class Journal {
  private size = 0;
  private syncedTo = 0;
  private syncing: Promise<void> | undefined;
  private closed = false;
  private isTorn = false;
  private notSynced: JournalNotWritten | undefined;

  private constructor(
    private readonly fd: number,
    private readonly disk: Disk,
  ) {}

  /** Opens or makes the file. Before anything is appended, `replay` must have read what is there. */
  static open(path: string, disk = systemDisk): Journal {
    return new Journal(openSync(path, 'a+', 0o600), disk);
  }

  /** Gives every whole record to `take`, in order, and cuts the torn tail. */
  replay(take: (record: JournalRecord) => void): void {
    this.size = this.replayAll(take);
    this.syncedTo = this.size;
    this.disk.truncate(this.fd, this.size);
  }

  /** How many bytes of records there are. */
  get bytes(): number {
    return this.size;
  }

  /** Appends a record and returns the offset of its payload. @throws JournalNotWritten when the disk is full */
  append(type: number, payload: Buffer): number {
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32LE(payload.length, 0);
    header.writeUInt8(type, 8);
    header.writeUInt32LE(checksum(header, payload), 4);
    const record = Buffer.concat([header, payload]);
    this.write(record);
    const offset = this.size + HEADER_BYTES;
    this.size += record.length;
    return offset;
  }

  /** Resolves when everything appended so far is on the disk. @throws JournalNotWritten */
  async synced(): Promise<void> {
    if (this.notSynced) throw this.notSynced;
    const wanted = this.size;
    while (this.syncedTo < wanted && !this.closed) {
      this.syncing ??= this.syncOnce();
      await this.syncing;
    }
  }

  /** Reads part of a payload back. */
  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    readFully(this.fd, bytes, offset);
    return bytes;
  }

  /** Waits for the disk and closes the file. */
  async close(): Promise<void> {
    if (this.closed) return;
    try {
      await this.synced();
    } finally {
      this.closed = true;
      closeSync(this.fd);
    }
  }

  /** Behind half a record no later one could be read back: it is cut first, and nothing is written while it stays. */
  private write(record: Buffer): void {
    if (this.notSynced) throw this.notSynced;
    try {
      if (this.closed) throw new Error('it is closed');
      if (this.isTorn) this.disk.truncate(this.fd, this.size);
      this.isTorn = true;
      for (let done = 0; done < record.length;) done += this.disk.write(this.fd, record, done);
      this.isTorn = false;
    } catch (cause) {
      throw new JournalNotWritten(cause);
    }
  }

  private async syncOnce(): Promise<void> {
    const upTo = this.size;
    try {
      await this.disk.sync(this.fd);
      this.syncedTo = upTo;
    } catch (cause) {
      // What the system could not write it forgets, and the next sync would not say so.
      this.notSynced = new JournalNotWritten(cause, 'records may be lost, restart the sandbox');
      throw this.notSynced;
    } finally {
      this.syncing = undefined;
    }
  }

  private replayAll(take: (record: JournalRecord) => void): number {
    const end = fstatSync(this.fd).size;
    let buffered: Buffer = Buffer.alloc(0);
    let base = 0;
    let at = 0;
    const need = (bytes: number): boolean => {
      if (at + bytes > end) return false;
      if (at + bytes > base + buffered.length) {
        base = at;
        buffered = this.read(at, Math.min(end - at, Math.max(bytes, READ_CHUNK_BYTES)));
      }
      return true;
    };
    while (need(HEADER_BYTES)) {
      const length = buffered.readUInt32LE(at - base);
      if (length > MAX_PAYLOAD_BYTES || !need(HEADER_BYTES + length)) break;
      const header = buffered.subarray(at - base, at - base + HEADER_BYTES);
      const payload = buffered.subarray(at - base + HEADER_BYTES, at - base + HEADER_BYTES + length);
      if (header.readUInt32LE(4) !== checksum(header, payload)) break;
      take({ type: header.readUInt8(8), payload, offset: at + HEADER_BYTES });
      at += HEADER_BYTES + length;
    }
    return at;
  }
}

/** Over length and type too, so that a flipped length is noticed. */
function checksum(header: Buffer, payload: Buffer): number {
  return crc32(payload, crc32(header.subarray(8), crc32(header.subarray(0, 4))));
}

function readFully(fd: number, bytes: Buffer, offset: number): void {
  for (let done = 0; done < bytes.length;) {
    const count = readSync(fd, bytes, done, bytes.length - done, offset + done);
    if (count === 0) throw new Error(`the journal ends inside a record at ${offset + done}`);
    done += count;
  }
}
