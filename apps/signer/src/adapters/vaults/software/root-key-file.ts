import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { VaultError } from '../../../ports/vault.js';

const ROOT_KEY_BYTES = 32;
const OTHERS_MAY = 0o077;

/**
 * Returns the root key, created when the file is missing. The file appears at once and whole, or not at all: of several
 * processes that start together, one creates it and all read the same. The caller wipes the result.
 */
export async function makeRootKey(file: string): Promise<Buffer> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  if (!(await stat(file).catch(ignoring('ENOENT')))) await placeRootKey(file);
  return readRootKey(file);
}

/**
 * Reads the root key in the file. The caller wipes the result.
 * @throws VaultError when the file is missing, is not a root key, or can be opened by other users
 */
export async function readRootKey(file: string): Promise<Buffer> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'ENOENT' ? 'is missing; without it no wallet of this database can sign' : 'is unreadable';
    throw new VaultError(`the vault's file ${file} ${why}`, { cause });
  });
  try {
    const { mode, size } = await handle.stat();
    if ((mode & OTHERS_MAY) !== 0) {
      throw new VaultError(`the vault's file ${file} can be opened by other users; make it 0600`);
    }
    if (size !== ROOT_KEY_BYTES) throw new VaultError(`the vault's file ${file} does not hold ${ROOT_KEY_BYTES} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Writes a new key beside the name, then links it there: a link never replaces what another process put there first. */
export async function placeRootKey(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const rootKey = randomBytes(ROOT_KEY_BYTES);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(rootKey);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch(ignoring('EEXIST'));
    await syncDirectory(path.dirname(file));
  } finally {
    rootKey.fill(0);
    await unlink(draft).catch(ignoring('ENOENT'));
  }
}

/** Syncs a directory: a file survives a crash of the machine only once its directory is written, too. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoring(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
