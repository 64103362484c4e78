import { open, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Needle } from './seeds.js';

const CHUNK_BYTES = 16 * 1024 * 1024;

/** Searches for many byte strings at once: each place costs one look-up in a table, however many there are. */
export class ByteSearch {
  readonly #byStart = new Map<number, Needle[]>();
  readonly #isStart = new Uint8Array(65_536);
  readonly #longest: number;
  /** One for all: what is looked through is looked through one after the other. */
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);

  constructor(needles: readonly Needle[]) {
    for (const needle of needles) {
      const start = needle.bytes.readUInt16LE(0);
      this.#isStart[start] = 1;
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), needle]);
    }
    this.#longest = Math.max(...needles.map(({ bytes }) => bytes.length));
  }

  /** What of it occurs in a file, or in a process's memory, between two offsets. */
  async inFile(file: string, from = 0, to = Number.MAX_SAFE_INTEGER): Promise<Set<string>> {
    const found = new Set<string>();
    const handle = await open(file, 'r');
    try {
      const chunk = this.#chunk;
      for (let at = from; at < to;) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
        if (bytesRead < 2) break;
        for (const what of this.in(chunk.subarray(0, bytesRead))) found.add(what);
        // The next chunk begins before the end of this one: nothing is missed that lies across.
        at += bytesRead <= this.#longest || at + bytesRead >= to ? bytesRead : bytesRead - this.#longest;
      }
    } finally {
      await handle.close();
    }
    return found;
  }

  /** What of it occurs in some bytes. */
  in(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    const isStart = this.#isStart;
    const last = bytes.length - 1;
    let next = bytes[0]!;
    for (let i = 0; i < last; i += 1) {
      const first = next;
      next = bytes[i + 1]!;
      if (isStart[first | (next << 8)] === 1) this.#compare(bytes, i, found);
    }
    return found;
  }

  #compare(bytes: Buffer, at: number, found: Set<string>): void {
    for (const { what, bytes: needle } of this.#byStart.get(bytes.readUInt16LE(at))!) {
      if (bytes[at + 2] !== needle[2] || bytes[at + 3] !== needle[3] || bytes[at + 4] !== needle[4]) continue;
      if (bytes.subarray(at, at + needle.length).equals(needle)) found.add(what);
    }
  }
}

/** A running process. */
export interface SeenProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** A process and all that it has started, and they. */
export async function processTree(root: number): Promise<SeenProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = new Map<number, number>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent > 0) parents.set(pid, parent);
  }
  const isInTree = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isInTree(parents.get(pid)));
  const tree = [...parents.keys()].filter(isInTree);
  return Promise.all(
    tree.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid, commandLine: line.replaceAll('\0', ' ').trim() };
    }),
  );
}

/** What several processes share is looked at once. */
export class MemorySearch {
  readonly #shared = new Set<string>();

  constructor(private readonly search: ByteSearch) {}

  /** What occurs in everything that a process has written to. @throws Error when its memory may not be read */
  async inProcess(pid: number): Promise<{ found: string[]; bytes: number }> {
    const found = new Set<string>();
    let bytes = 0;
    for (const { from, to, shared } of await writtenRanges(pid)) {
      if (shared !== undefined && this.#shared.has(shared)) continue;
      if (shared !== undefined) this.#shared.add(shared);
      bytes += to - from;
      const here = await this.search.inFile(`/proc/${pid}/mem`, from, to).catch(gone);
      here.forEach((what) => found.add(what));
    }
    return { found: [...found], bytes };
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** What names it in every process that shares it; undefined for a process's own. */
  readonly shared: string | undefined;
}

/** Of what a process may write to, the ranges that have pages in memory (proc_pid_smaps(5)). */
async function writtenRanges(pid: number): Promise<Range[]> {
  const ranges: Range[] = [];
  let range: Range | undefined;
  for (const line of (await readFile(`/proc/${pid}/smaps`, 'utf8')).split('\n')) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) (....) (\S+) (\S+) (\S+)/.exec(line);
    if (head) {
      const [, from, to, rights, offset, device, inode] = head;
      const shared = rights![3] === 's' ? `${device} ${inode} ${offset}` : undefined;
      const isWritable = rights!.startsWith('rw');
      range = isWritable ? { from: Number.parseInt(from!, 16), to: Number.parseInt(to!, 16), shared } : undefined;
    }
    if (range && /^(Rss|Swap):\s+[1-9]/.test(line)) {
      ranges.push(range);
      range = undefined;
    }
  }
  return ranges;
}

/** A range may be given back, or be no memory at all, between the list and the look. */
function gone(error: NodeJS.ErrnoException): Set<string> {
  if (error.code === 'EIO' || error.code === 'EFAULT' || error.code === 'ENOENT') return new Set();
  throw error;
}

/** Every file under a folder, links followed nowhere. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(await realpath(folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}
