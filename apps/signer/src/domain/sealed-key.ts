import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** An Ed25519 key as the database may see it. */
export interface SealedKey {
  /** The agent, or the reserved id of a wallet of the operator. */
  readonly agentId: string;
  /** Version of the data key it is encrypted under. */
  readonly keyVersion: number;
  /** 32 bytes: the wallet's address. */
  readonly publicKey: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/** The AES-256 key that agents' keys are encrypted under; its bytes stay inside OpenSSL. */
export interface DataKey {
  readonly version: number;
  readonly secret: KeyObject;
}

/** A sealed key does not open: altered, moved to another agent, or sealed under another data key. */
export class SealBroken extends Error {
  constructor(agentId: string, options?: ErrorOptions) {
    super(`the sealed key of agent ${agentId} does not open`, options);
    this.name = 'SealBroken';
  }
}

const CIPHER = 'aes-256-gcm';
const SEED_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const AAD_LABEL = Buffer.from('agent-wallet/key/v1\0');
const VERSION_BYTES = 4;
/** PKCS #8 of an Ed25519 private key, up to its seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes a new key for an agent. Its seed exists in memory only for the time of this call. */
export function makeSealedKey(agentId: string, dataKey: DataKey): SealedKey {
  const seed = randomBytes(SEED_BYTES);
  try {
    return encryptSeed(seed, { agentId, publicKey: publicKeyOf(seed) }, dataKey);
  } finally {
    seed.fill(0);
  }
}

/** Encrypts a key under another data key. Its seed exists in memory only during this call. @throws SealBroken */
export function rewrapSealedKey(sealed: SealedKey, { from, to }: { from: DataKey; to: DataKey }): SealedKey {
  const seed = decryptSeed(sealed, from);
  try {
    return encryptSeed(seed, sealed, to);
  } finally {
    seed.fill(0);
  }
}

function encryptSeed(
  seed: Buffer,
  { agentId, publicKey }: Pick<SealedKey, 'agentId' | 'publicKey'>,
  dataKey: DataKey,
): SealedKey {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, dataKey.secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(agentId, dataKey.version, publicKey));
  const ciphertext = Buffer.concat([cipher.update(seed), cipher.final()]);
  return { agentId, keyVersion: dataKey.version, publicKey, nonce, ciphertext, tag: cipher.getAuthTag() };
}

/**
 * Opens a key for signing.
 * @throws SealBroken
 */
export function openSealedKey(sealed: SealedKey, dataKey: DataKey): KeyObject {
  const seed = decryptSeed(sealed, dataKey);
  try {
    // A JWK needs no derivation of the public key, which makes it seven times as fast as PKCS #8 here. The price is a
    // string that cannot be wiped: it is garbage at once.
    const d = seed.toString('base64url');
    const x = sealed.publicKey.toString('base64url');
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  } finally {
    seed.fill(0);
  }
}

function decryptSeed(sealed: SealedKey, dataKey: DataKey): Buffer {
  const { agentId, keyVersion, publicKey, nonce, ciphertext, tag } = sealed;
  let seed: Buffer | undefined;
  try {
    if (keyVersion !== dataKey.version) throw new Error(`it needs data key ${keyVersion}, not ${dataKey.version}`);
    const decipher = createDecipheriv(CIPHER, dataKey.secret, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(agentId, keyVersion, publicKey));
    decipher.setAuthTag(tag);
    seed = decipher.update(ciphertext);
    decipher.final();
    return seed;
  } catch (cause) {
    seed?.fill(0);
    throw new SealBroken(agentId, { cause });
  }
}

/**
 * Returns the bytes that the tag covers beside the seed. The lengths are fixed, so that no two keys have the same bytes
 * here.
 */
function associatedData(agentId: string, keyVersion: number, publicKey: Buffer): Buffer {
  const version = Buffer.alloc(VERSION_BYTES);
  version.writeUInt32BE(keyVersion);
  return Buffer.concat([AAD_LABEL, Buffer.from(agentId.replaceAll('-', ''), 'hex'), version, publicKey]);
}

function publicKeyOf(seed: Buffer): Buffer {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  try {
    const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
      format: 'jwk',
    });
    return Buffer.from(x!, 'base64url');
  } finally {
    der.fill(0);
  }
}
