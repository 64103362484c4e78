import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type KeyStore, type PendingRequest, readPending } from './keys.js';

/**
 * Keeps requests in a folder, one file each, readable by this user alone: `new FileStore('.agent-wallet')`. Processes may
 * share it.
 */
export class FileStore implements KeyStore {
  constructor(private readonly folder: string) {}

  async list(): Promise<readonly PendingRequest[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const texts = await Promise.all(names.filter((name) => name.endsWith(ENDING)).map((name) => this.#read(name)));
    return texts.map(readPending).filter((request) => request !== undefined);
  }

  /** Writes a whole file beside, and renames it once it is on the disk: a crash leaves a request or none. */
  async save(request: PendingRequest): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(request.key);
    const draft = `${file}.${process.pid}.draft`;
    try {
      await written(draft, JSON.stringify(request));
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await synced(this.folder);
  }

  async remove(key: string): Promise<void> {
    await rm(this.#fileOf(key), { force: true });
  }

  async #read(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), 'utf8').catch((error: unknown) => {
      // Another process has ended the request.
      if (isMissing(error)) return '';
      throw error;
    });
  }

  /** Returns the file of a key, which may have any printable character. */
  #fileOf(key: string): string {
    return path.join(this.folder, `${Buffer.from(key).toString('base64url')}${ENDING}`);
  }
}

const ENDING = '.pending.json';

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function written(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function synced(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
