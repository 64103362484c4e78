import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SettingsError } from '@agent-wallet/platform';
import type { PermitKeys } from '../ports/permit-keys.js';

const EXTENSION = '.pem';

/**
 * Reads policy's permit keys from a folder of SPKI PEM files, each named `<key id>.pem`. They are read once: a new key
 * is put there, and the signers restarted, before policy begins to use it.
 * @throws SettingsError when there is none, or one that is no Ed25519 public key
 */
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
  const pem = await readFile(file, 'utf8');
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
  throw new SettingsError([`PERMIT_PUBLIC_KEYS_PATH: ${file} is no Ed25519 public key in SPKI PEM`]);
}
