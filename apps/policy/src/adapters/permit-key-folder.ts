import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SettingsError } from '@agent-wallet/platform';
import type { PermitSigner } from '../ports/permit-signer.js';

const SUFFIX = '.pem';

/**
 * Opens the current permit key of a folder of PKCS #8 files; a file's name without `.pem` is the key's id. Keys rotate
 * by a further file whose public half the signer knows already.
 * @param keyId which key is the current one; the last by name when omitted
 * @throws SettingsError when there is none, or it is no Ed25519 key
 */
export async function openPermitKey(directory: string, keyId: string | undefined): Promise<PermitSigner> {
  const current = keyId ?? (await lastKeyId(directory));
  const key = await readKey(path.join(directory, current + SUFFIX));
  return { sign: (input) => ({ keyId: current, signature: sign(null, input, key) }) };
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
    throw new SettingsError([`PERMIT_KEYS_PATH: ${path.basename(file)} is no Ed25519 private key in PKCS #8 PEM`]);
  }
  return key;
}
