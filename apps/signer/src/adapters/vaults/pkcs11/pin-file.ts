import { open } from 'node:fs/promises';
import { VaultError } from '../../../ports/vault.js';

const OTHERS_MAY = 0o007;

/**
 * Passes the PIN in a file to `work`, without the line's end, and wipes the bytes that were read. The native package
 * takes a PIN as text only, which cannot be wiped. That text is short-lived, and nothing keeps it.
 * @throws VaultError when the file is missing, empty, or open to other users
 */
export async function withPin<T>(file: string, work: (pin: string) => T): Promise<T> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new VaultError(`SIGNER_PKCS11_PIN_PATH: ${file} cannot be read`, { cause });
  });
  try {
    const { mode } = await handle.stat();
    if ((mode & OTHERS_MAY) !== 0) {
      throw new VaultError(`SIGNER_PKCS11_PIN_PATH: ${file} is open to every user; make it 0600`);
    }
    const bytes = await handle.readFile();
    try {
      const pin = bytes.toString('utf8').replace(/\r?\n$/, '');
      if (pin === '') throw new VaultError(`SIGNER_PKCS11_PIN_PATH: ${file} is empty`);
      return work(pin);
    } finally {
      bytes.fill(0);
    }
  } finally {
    await handle.close();
  }
}
