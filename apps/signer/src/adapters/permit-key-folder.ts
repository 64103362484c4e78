import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger, SettingsError } from '@agent-wallet/platform';
import type { PermitKeys } from '../ports/permit-keys.js';

const EXTENSION = '.pem';

/** Policy's permit keys as the folder has them. */
export interface PermitKeyFolder {
  /** Keys as last read: one map whose content is replaced at once. */
  readonly keys: PermitKeys;
  /** Reads the folder again. What cannot be read changes nothing, and is said in the log. */
  readonly refresh: () => Promise<void>;
}

/**
 * Opens a folder of SPKI PEM files, each named `<key id>.pem`. A key that comes is known from the next `refresh` on, and
 * one that is taken away is not: a new key is put there before policy begins to use it.
 * @throws SettingsError when there is none, or one that is not an Ed25519 public key
 */
export async function openPermitKeys(folder: string, logger: Logger): Promise<PermitKeyFolder> {
  const keys = new Map(await readPermitKeys(folder));
  let logged = '';
  const replace = (read: PermitKeys): void => {
    logged = '';
    if (isSame(keys, read)) return;
    keys.clear();
    for (const [keyId, key] of read) keys.set(keyId, key);
    logger.info({ event: 'permit_keys.changed', permitKeyIds: [...keys.keys()] }, 'Permit verification keys changed');
  };
  const keep = (err: unknown): void => {
    if (String(err) === logged) return;
    logged = String(err);
    const fields = { event: 'permit_keys.reload_failed', permitKeyIds: [...keys.keys()], err } as const;
    logger.error(fields, 'Permit keys could not be reloaded; the last good keys stay');
  };
  return { keys, refresh: () => readPermitKeys(folder).then(replace, keep) };
}

function isSame(one: PermitKeys, other: PermitKeys): boolean {
  return one.size === other.size && [...one].every(([keyId, key]) => other.get(keyId)?.equals(key));
}

/** Reads the folder once. @throws SettingsError */
export async function readPermitKeys(folder: string): Promise<PermitKeys> {
  const names = await readdir(folder).catch(() => {
    throw new SettingsError([`PERMIT_PUBLIC_KEYS_PATH: the folder ${folder} cannot be read`]);
  });
  const files = names.filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'));
  if (files.length === 0) throw new SettingsError([`PERMIT_PUBLIC_KEYS_PATH: ${folder} holds no ${EXTENSION} file`]);
  const keys = await Promise.all(files.map((name) => readPublicKey(path.join(folder, name))));
  return new Map(files.map((name, i) => [name.slice(0, -EXTENSION.length), keys[i]!]));
}

async function readPublicKey(file: string): Promise<KeyObject> {
  const pem = await readFile(file, 'utf8').catch(() => '');
  // node:crypto would make a public key of a private one without a word.
  if (pem.includes('PRIVATE KEY')) {
    throw new SettingsError([`PERMIT_PUBLIC_KEYS_PATH: ${file} is a private key; the signer must not have it`]);
  }
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // said below, without what the file holds
  }
  throw new SettingsError([`PERMIT_PUBLIC_KEYS_PATH: ${file} is not an Ed25519 public key in SPKI PEM`]);
}
