import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger, SettingsError } from '@agent-wallet/platform';
import type { PermitSigner } from '../ports/permit-signer.js';

const SUFFIX = '.pem';

/** Policy's permit key as the folder has it. */
export interface PermitKeyFolder {
  /** Signs with the key that was last read. */
  readonly signer: PermitSigner;
  /** Reads the folder again. What cannot be read changes nothing, and is said in the log. */
  readonly refresh: () => Promise<void>;
}

interface PermitKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

/**
 * Opens the current permit key of a folder of PKCS #8 files; a file's name without `.pem` is the key's id. Keys rotate
 * by a further file whose public half the signers know already: it is used from the next `refresh` on.
 * @param keyId which key is the current one; the last by name when omitted
 * @throws SettingsError when there is none, or it is not an Ed25519 key
 */
export async function openPermitKeys(
  directory: string,
  keyId: string | undefined,
  logger: Logger,
): Promise<PermitKeyFolder> {
  let current = await readCurrent(directory, keyId);
  let logged = '';
  const replace = (read: PermitKey): void => {
    logged = '';
    if (read.keyId === current.keyId && read.key.equals(current.key)) return;
    current = read;
    logger.info({ event: 'permit_keys.changed', permitKeyId: read.keyId }, 'Permit signing key changed');
  };
  const keep = (err: unknown): void => {
    if (String(err) === logged) return;
    logged = String(err);
    const fields = { event: 'permit_keys.reload_failed', permitKeyId: current.keyId, err } as const;
    logger.error(fields, 'Permit keys could not be reloaded; the last good key stays');
  };
  const signer: PermitSigner = {
    sign: (input) => ({ keyId: current.keyId, signature: sign(null, input, current.key) }),
  };
  return { signer, refresh: () => readCurrent(directory, keyId).then(replace, keep) };
}

async function readCurrent(directory: string, keyId: string | undefined): Promise<PermitKey> {
  const current = keyId ?? (await lastKeyId(directory));
  return { keyId: current, key: await readKey(path.join(directory, current + SUFFIX)) };
}

async function lastKeyId(directory: string): Promise<string> {
  const names = await readdir(directory).catch(() => {
    throw new SettingsError(['PERMIT_KEYS_PATH: the folder cannot be read']);
  });
  const last = names
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .at(-1);
  if (!last) throw new SettingsError(['PERMIT_KEYS_PATH: the folder has no .pem file']);
  return last.slice(0, -SUFFIX.length);
}

async function readKey(file: string): Promise<KeyObject> {
  // The cause may quote what stands in the file, so it is not passed on.
  const key = await readFile(file)
    .then((pem) => createPrivateKey(pem))
    .catch(() => undefined);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new SettingsError([`PERMIT_KEYS_PATH: ${path.basename(file)} is not an Ed25519 private key in PKCS #8 PEM`]);
  }
  return key;
}
