import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, closeSync, fstatSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SmallDisk } from '../../test/small-disk.js';
import { Journal } from './journal.js';
import { JournalNotWritten } from './journal-not-written.js';

describe('Journal', () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'journal-'));
    file = path.join(dir, 'journal.log');
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  const texts = ['one', '', 'x'.repeat(5_000_000), 'four'];

  function open(): { journal: Journal; read: string[] } {
    const read: string[] = [];
    const journal = Journal.open(file);
    journal.replay(({ type, payload }) => read.push(`${type}:${payload.toString()}`));
    return { journal, read };
  }

  async function fill(): Promise<void> {
    const { journal } = open();
    texts.forEach((text, i) => journal.append(i, Buffer.from(text)));
    await journal.close();
  }

  it('returns every record in order, at any size', async () => {
    await fill();
    const { journal, read } = open();
    expect(read).toEqual(texts.map((text, i) => `${i}:${text}`));
    await journal.close();
  });

  it('has records in the file before a writer waits for the disk', () => {
    const { journal } = open();
    journal.append(7, Buffer.from('seen'));
    expect(readFileSync(file).includes('seen')).toBe(true);
    return journal.close();
  });

  it('reads a part of a payload back by its offset', async () => {
    const { journal } = open();
    journal.append(1, Buffer.from('before'));
    const offset = journal.append(1, Buffer.from('0123456789'));
    expect(journal.read(offset + 2, 3).toString()).toBe('234');
    await journal.close();
  });

  it.each([1, 4, 8, 9, 12])(
    'cuts a tail torn %i bytes before its end and appends behind the last whole record',
    async (torn) => {
      await fill();
      truncateSync(file, readFileSync(file).length - torn);
      const first = open();
      expect(first.read).toHaveLength(3);
      first.journal.append(9, Buffer.from('after'));
      await first.journal.close();
      const second = open();
      expect(second.read.at(-1)).toBe('9:after');
      expect(second.read).toHaveLength(4);
      await second.journal.close();
    },
  );

  it('does not believe a record whose bytes were changed', async () => {
    await fill();
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    const { journal, read } = open();
    expect(read).toHaveLength(3);
    await journal.close();
  });

  it('does not trust the length a torn header claims', async () => {
    await fill();
    appendFileSync(file, Buffer.from([255, 255, 255, 255, 1, 2, 3, 4, 5]));
    const { journal, read } = open();
    expect(read).toHaveLength(4);
    await journal.close();
  });

  describe('on a full disk', () => {
    let disk: SmallDisk;
    let journal: Journal;

    beforeEach(() => {
      disk = new SmallDisk();
      journal = Journal.open(file, disk);
      journal.replay(() => undefined);
      journal.append(1, Buffer.from('before'));
      disk.full = 'all';
      expect(() => journal.append(1, Buffer.from('does not fit'))).toThrow(JournalNotWritten);
    });

    const kept = async (): Promise<string[]> => {
      await journal.close();
      const { journal: next, read } = open();
      await next.close();
      return read;
    };

    it('keeps nothing of the record that does not fit', async () => {
      expect(await kept()).toEqual(['1:before']);
    });

    it('takes records again once there is space, and reads them where it said', async () => {
      expect(() => journal.append(1, Buffer.from('nor this'))).toThrow('the disk is full');
      disk.full = [];
      const offset = journal.append(1, Buffer.from('after'));
      expect(journal.read(offset, 5).toString()).toBe('after');
      await journal.synced();
      expect(await kept()).toEqual(['1:before', '1:after']);
    });

    it('takes none while half a record cannot be cut off', async () => {
      disk.full = [];
      disk.truncateFails = true;
      expect(() => journal.append(1, Buffer.from('lost'))).toThrow(JournalNotWritten);
      disk.truncateFails = false;
      journal.append(1, Buffer.from('after'));
      expect(await kept()).toEqual(['1:before', '1:after']);
    });

    it('takes none after the disk lost what it had taken, and does not say that it is safe', async () => {
      disk.full = [];
      disk.syncFails = true;
      await expect(journal.synced()).rejects.toThrow('restart the sandbox');
      disk.syncFails = false;
      expect(() => journal.append(1, Buffer.from('after'))).toThrow('restart the sandbox');
      await expect(journal.synced()).rejects.toThrow(JournalNotWritten);
      await expect(journal.close()).rejects.toThrow(JournalNotWritten);
    });
  });

  it('writes into no other file once it is closed', async () => {
    const { journal } = open();
    await journal.close();
    const other = openSync(`${file}.other`, 'w');
    expect(() => journal.append(1, Buffer.from('late'))).toThrow(JournalNotWritten);
    expect(fstatSync(other).size).toBe(0);
    closeSync(other);
  });

  it('serves many who wait for the disk at once', async () => {
    const { journal } = open();
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        journal.append(1, Buffer.from(String(i)));
        await journal.synced();
      }),
    );
    await journal.close();
    expect(open().read).toHaveLength(100);
  });
});
