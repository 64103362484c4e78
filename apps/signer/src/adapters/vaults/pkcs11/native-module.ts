import type * as Pkcs11Js from 'pkcs11js';
import { VaultError } from '../../../ports/vault.js';

export type Pkcs11Library = typeof Pkcs11Js;

/** A PKCS #11 module that this process has open. */
export interface OpenModule {
  /** Names of constants. */
  readonly names: Pkcs11Library;
  readonly calls: Pkcs11Js.PKCS11;
  /** Lets go of it. The last one who does ends the module's work in this process. */
  close(): void;
}

const CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191;

const users = new Map<string, { readonly calls: Pkcs11Js.PKCS11; count: number; readonly isOurs: boolean }>();

/** Imports a CommonJS package, whose exports are its default. */
const importPackage = async () => ((await import('pkcs11js')) as unknown as { default: Pkcs11Library }).default;

/**
 * Opens the module of a token's maker. The native package is loaded here and for this driver only.
 * @throws VaultError that says what to do when the package is not built, or the file is not such a module
 */
export async function openModule(modulePath: string, load = importPackage): Promise<OpenModule> {
  const names = await loadLibrary(load);
  const known = users.get(modulePath);
  const opened = known ?? { ...initialize(names, modulePath), count: 0 };
  opened.count += 1;
  users.set(modulePath, opened);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    opened.count -= 1;
    if (opened.count > 0) return;
    users.delete(modulePath);
    if (opened.isOurs) opened.calls.C_Finalize();
    opened.calls.close();
  };
  return { names, calls: opened.calls, close };
}

async function loadLibrary(load: () => Promise<Pkcs11Library>): Promise<Pkcs11Library> {
  try {
    return await load();
  } catch (cause) {
    throw new VaultError(
      'the native package pkcs11js is not installed or not built, because installations run no scripts: run ' +
        '`npm rebuild pkcs11js` (it needs a C++ compiler, make and Python 3)',
      { cause },
    );
  }
}

function initialize(names: Pkcs11Library, modulePath: string): { calls: Pkcs11Js.PKCS11; isOurs: boolean } {
  const calls = new names.PKCS11();
  try {
    calls.load(modulePath);
  } catch (cause) {
    throw new VaultError(
      `SIGNER_PKCS11_MODULE_PATH: ${modulePath} cannot be loaded as a PKCS #11 module: is it there, and for this machine?`,
      { cause },
    );
  }
  try {
    calls.C_Initialize({ flags: names.CKF_OS_LOCKING_OK });
    return { calls, isOurs: true };
  } catch (cause) {
    if ((cause as { code?: number }).code === CKR_CRYPTOKI_ALREADY_INITIALIZED) return { calls, isOurs: false };
    throw new VaultError(`the PKCS #11 module ${modulePath} did not start: ${(cause as Error).message}`, { cause });
  }
}
