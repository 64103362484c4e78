import { createHash, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { PKCS11_EVIDENCE_FORMAT, PKCS11_EVIDENCE_PREFIX, type Pkcs11EvidenceDocument } from './evidence.js';
import { ensureKey, EVIDENCE_KEY, keyOfId, publicPointOf, type TokenKey, WRAPPING_KEY } from './token-keys.js';
import type { Token, TokenSession } from './token.js';
import { isStale } from './token-failure.js';

const FORMAT = 'agent-wallet/pkcs11-sealed/v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BINDING_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

const base64 = () => z.base64().transform((text) => Buffer.from(text, 'base64'));
const BLOB = z.strictObject({
  format: z.literal(FORMAT),
  /** CKA_ID of the key. */
  key: z.hex(),
  nonce: base64().refine(({ length }) => length === NONCE_BYTES),
  ciphertext: base64().refine(({ length }) => length > TAG_BYTES),
});

/**
 * A vault in a PKCS #11 token, as security modules are: seals with an AES key (AES-256-GCM) that was made in the token
 * and never leaves it.
 */
export class Pkcs11Vault implements Vault {
  private constructor(
    private readonly token: Token,
    private readonly keyLabel: string,
    private readonly description: VaultDescription,
  ) {}

  /** Makes the keys in the token if they are missing. @throws VaultError */
  static async open(token: Token, keyLabel: string, isolation: string): Promise<Pkcs11Vault> {
    const key = await token.session(async (session) => {
      await ensureKey(session, EVIDENCE_KEY, evidenceLabel(keyLabel));
      return ensureKey(session, WRAPPING_KEY, keyLabel);
    });
    const id = `${token.info.serialNumber}/${key.id}`;
    return new Pkcs11Vault(token, keyLabel, { driver: 'pkcs11', isolation, id });
  }

  seal(secret: Uint8Array): Promise<Buffer> {
    return this.token.session(async (session) => {
      const key = await ensureKey(session, WRAPPING_KEY, this.keyLabel);
      const nonce = randomBytes(NONCE_BYTES);
      session.calls.C_EncryptInit(session.handle, gcm(session, nonce, key.id), key.handle);
      const out = Buffer.alloc(secret.length + TAG_BYTES);
      const ciphertext = await session.calls.C_EncryptAsync(session.handle, Buffer.from(secret), out);
      return Buffer.from(
        JSON.stringify({
          format: FORMAT,
          key: key.id,
          nonce: nonce.toString('base64'),
          ciphertext: ciphertext.toString('base64'),
        }),
      );
    });
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    const blob = decode(sealed);
    return this.token.session(async (session) => {
      const key = keyOfId(session, WRAPPING_KEY, blob.key);
      if (!key) throw new VaultError(`the token "${this.token.info.label}" has no key ${blob.key}, which sealed this`);
      return decrypt(session, key, blob);
    });
  }

  /** Signs the binding with a key of the token. The signature proves that a user with access requested it. */
  async evidence(binding: Uint8Array): Promise<Evidence> {
    if (binding.length !== BINDING_BYTES) throw new VaultError(`a binding has ${BINDING_BYTES} bytes`);
    return this.token.session(async (session) => {
      const { names, calls, handle } = session;
      const key = await ensureKey(session, EVIDENCE_KEY, evidenceLabel(this.keyLabel));
      const publicKey = publicKeyOf(session, key);
      const digest = createHash('sha256').update(PKCS11_EVIDENCE_PREFIX).update(binding).digest();
      // Hashed here: not every token knows ECDSA together with its hash.
      calls.C_SignInit(handle, { mechanism: names.CKM_ECDSA }, key.handle);
      const signature = await calls.C_SignAsync(handle, digest, Buffer.alloc(SIGNATURE_BYTES));
      const document: Pkcs11EvidenceDocument = {
        publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
        signature: signature.toString('base64'),
        token: this.token.info,
      };
      const keyId = createHash('sha256')
        .update(publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex');
      return { format: PKCS11_EVIDENCE_FORMAT, keyId, document: Buffer.from(JSON.stringify(document)) };
    });
  }

  describe(): VaultDescription {
    return this.description;
  }

  async close(): Promise<void> {
    this.token.close();
  }
}

function evidenceLabel(keyLabel: string): string {
  return `${keyLabel}-evidence`;
}

function decode(sealed: Uint8Array): z.output<typeof BLOB> {
  try {
    return BLOB.parse(JSON.parse(Buffer.from(sealed).toString('utf8')));
  } catch (cause) {
    throw new VaultError('this is nothing that a token sealed, or it was altered', { cause });
  }
}

async function decrypt(session: TokenSession, key: TokenKey, blob: z.output<typeof BLOB>): Promise<Buffer> {
  const { calls, handle } = session;
  const out = Buffer.alloc(blob.ciphertext.length);
  try {
    calls.C_DecryptInit(handle, gcm(session, blob.nonce, key.id), key.handle);
    return Buffer.from(await calls.C_DecryptAsync(handle, blob.ciphertext, out));
  } catch (cause) {
    if (isStale(cause)) throw cause;
    throw new VaultError(`what the key ${key.id} of the token sealed was altered`, { cause });
  } finally {
    out.fill(0);
  }
}

/**
 * Returns the mechanism. The authenticated data name the key, so nothing sealed by one key can pass for sealed by
 * another.
 */
function gcm({ names }: TokenSession, iv: Buffer, keyId: string) {
  const aad = Buffer.from(`${FORMAT}\0${keyId}`);
  const parameter = { type: names.CK_PARAMS_AES_GCM, iv, ivBits: iv.length * 8, aad, tagBits: TAG_BYTES * 8 };
  return { mechanism: names.CKM_AES_GCM, parameter };
}

function publicKeyOf(session: TokenSession, key: TokenKey): KeyObject {
  const der = Buffer.concat([SPKI_PREFIX, publicPointOf(session, key)]);
  return createPublicKey({ key: der, type: 'spki', format: 'der' });
}
