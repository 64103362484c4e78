import { newId } from '@agent-wallet/kernel';
import { createPublicKey, generateKeyPair, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** The secrets an operator would mount, made up at the first start and kept. Each is a path or a text. */
export interface Secrets {
  /** Folder of policy's permit keys (private). */
  readonly permitKeysPath: string;
  /** Folder of the public halves, for the signer. */
  readonly permitPublicKeysPath: string;
  /** Folder of the gateway's JWT keys (private). */
  readonly jwtKeysPath: string;
  /** Key of the login codes' hash. */
  readonly otpPepper: string;
  /** For the sandbox's exchange, which knows the public half. */
  readonly sandboxExchangeKey: ExchangeKey;
}

/** A key that requests to an exchange are signed with. */
export interface ExchangeKey {
  readonly id: string;
  readonly privateKeyPath: string;
  readonly publicKeyPath: string;
}

/** A key's file; its name is the key's id. Rotation adds names that sort after it. */
const FIRST_KEY = '0001.pem';

const SPKI_PEM = { type: 'spki', format: 'pem' } as const;

/** Makes what is missing under a folder that only its owner can read. Idempotent. */
export async function makeSecrets(directory: string): Promise<Secrets> {
  const folder = async (name: string) => {
    const made = path.join(directory, name);
    await mkdir(made, { recursive: true, mode: 0o700 });
    return made;
  };
  const [permitKeysPath, permitPublicKeysPath, jwtKeysPath] = await Promise.all(
    ['permit-keys', 'permit-public-keys', 'jwt-keys'].map(folder),
  );
  const permitPem = await keep(path.join(permitKeysPath!, FIRST_KEY), () =>
    pkcs8(generateKeyPairSync('ed25519').privateKey),
  );
  await keep(path.join(permitPublicKeysPath!, FIRST_KEY), () => publicHalf(permitPem));
  await keep(path.join(jwtKeysPath!, FIRST_KEY), () =>
    pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  );
  const otpPepper = await keep(path.join(directory, 'otp-pepper'), () => randomBytes(32).toString('hex'));
  return {
    permitKeysPath: permitKeysPath!,
    permitPublicKeysPath: permitPublicKeysPath!,
    jwtKeysPath: jwtKeysPath!,
    otpPepper,
    sandboxExchangeKey: await makeExchangeKey(await folder('sandbox-exchange')),
  };
}

async function makeExchangeKey(directory: string): Promise<ExchangeKey> {
  const [privateKeyPath, publicKeyPath] = ['private.pem', 'public.pem'].map((name) => path.join(directory, name));
  // The one key that takes long to make: beside this thread.
  const pem = await keep(privateKeyPath!, async () =>
    pkcs8((await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })).privateKey),
  );
  await keep(publicKeyPath!, () => publicHalf(pem));
  const id = await keep(path.join(directory, 'key-id'), newId);
  return { id, privateKeyPath: privateKeyPath!, publicKeyPath: publicKeyPath! };
}

function publicHalf(pem: string): string {
  return createPublicKey(pem).export(SPKI_PEM) as string;
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Reads a secret, or makes and writes one where there is none. */
async function keep(file: string, make: () => string | Promise<string>): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const fresh = await make();
  await replace(file, fresh);
  return fresh;
}

/** Replaces a file by rename, so that a kill leaves no half-written secret. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}
