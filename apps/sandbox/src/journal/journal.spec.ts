import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Journal } from './journal.js';

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

  it('gives back every record in order, whatever its size', async () => {
    await fill();
    const { journal, read } = open();
    expect(read).toEqual(texts.map((text, i) => `${i}:${text}`));
    await journal.close();
  });

  it('has records in the file before anybody waits for the disk', () => {
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
