import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './backup-error.js';

// MAGIC, the length of the wrapped key in two bytes, the wrapped key, a nonce, the ciphertext, a tag. All that is before the
// ciphertext is authenticated with it.
const MAGIC = Buffer.from('agent-wallet/keys-backup/v1\n');
const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES, LENGTH_BYTES] = [32, 12, 16, 2];
const MIN_BITS = 3_072;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256', oaepLabel: MAGIC };

/** Writes lines to a new file that only the recipient can read. @throws BackupError, and leaves no file then */
export async function writeBackup(file: string, recipientPath: string, lines: AsyncIterable<string>): Promise<void> {
  const recipient = await rsaKey(recipientPath, (pem) => {
    if (pem.includes('PRIVATE KEY')) throw new BackupError(`${recipientPath} is a private key: give its public half`);
    return createPublicKey(pem);
  });
  const [key, nonce] = [randomBytes(KEY_BYTES), randomBytes(NONCE_BYTES)];
  const wrapped = publicEncrypt({ key: recipient, ...OAEP }, key);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(wrapped.length);
  const head = Buffer.concat([MAGIC, length, wrapped, nonce]);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  key.fill(0);
  cipher.setAAD(head);
  const encrypted = async function* () {
    yield head;
    for await (const line of lines) yield cipher.update(`${line}\n`);
    yield cipher.final();
    yield cipher.getAuthTag();
  };
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new BackupError(`${file} is there already`) : error;
  });
  try {
    await pipeline(Readable.from(encrypted()), handle.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Reads a backup: first all of it, to see that it is whole and unchanged, then its lines. @throws BackupError */
export async function* readBackup(file: string, identityPath: string): AsyncGenerator<string> {
  const identity = await rsaKey(identityPath, (pem) => createPrivateKey(pem));
  const { head, key, size } = await readHead(file, identity);
  try {
    const decrypted = () => decrypt(file, { head, key, size });
    for await (const chunk of decrypted()) chunk.fill(0);
    yield* createInterface({ input: Readable.from(decrypted()) });
  } finally {
    key.fill(0);
  }
}

interface Opened {
  readonly head: Buffer;
  readonly key: Buffer;
  /** Size of the file. */
  readonly size: number;
}

async function readHead(file: string, identity: KeyObject): Promise<Opened> {
  const handle = await open(file, 'r').catch((cause) => {
    throw new BackupError(`${file} cannot be read`, { cause });
  });
  try {
    const { size } = await handle.stat();
    const start = Buffer.alloc(MAGIC.length + LENGTH_BYTES);
    await handle.read(start, 0, start.length, 0);
    if (!start.subarray(0, MAGIC.length).equals(MAGIC)) throw new BackupError(`${file} is not a backup of keys`);
    const wrappedBytes = start.readUInt16BE(MAGIC.length);
    const head = Buffer.alloc(start.length + wrappedBytes + NONCE_BYTES);
    if (size < head.length + TAG_BYTES) throw notWhole(file);
    await handle.read(head, 0, head.length, 0);
    const wrapped = head.subarray(start.length, start.length + wrappedBytes);
    return { head, key: unwrap(wrapped, identity), size };
  } finally {
    await handle.close();
  }
}

function unwrap(wrapped: Buffer, identity: KeyObject): Buffer {
  try {
    return privateDecrypt({ key: identity, ...OAEP }, wrapped);
  } catch (cause) {
    throw new BackupError('the backup was made for another key than this identity, or was changed', { cause });
  }
}

async function* decrypt(file: string, { head, key, size }: Opened): AsyncGenerator<Buffer> {
  const decipher = createDecipheriv(CIPHER, key, head.subarray(-NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(head);
  const end = size - TAG_BYTES;
  if (end > head.length) {
    for await (const chunk of createReadStream(file, { start: head.length, end: end - 1 })) {
      yield decipher.update(chunk as Buffer);
    }
  }
  const tag: Buffer[] = [];
  for await (const chunk of createReadStream(file, { start: end })) tag.push(chunk as Buffer);
  try {
    decipher.setAuthTag(Buffer.concat(tag));
    decipher.final();
  } catch {
    throw notWhole(file);
  }
}

function notWhole(file: string): BackupError {
  return new BackupError(`${file} is not as it was written: it was changed, or is not whole`);
}

async function rsaKey(file: string, parse: (pem: string) => KeyObject): Promise<KeyObject> {
  const pem = await readFile(file, 'utf8').catch((cause) => {
    throw new BackupError(`${file} cannot be read`, { cause });
  });
  try {
    const key = parse(pem);
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_BITS) return key;
  } catch (error) {
    if (error instanceof BackupError) throw error;
  }
  throw new BackupError(`${file} is not an RSA key of ${MIN_BITS} bits or more in PEM`);
}
