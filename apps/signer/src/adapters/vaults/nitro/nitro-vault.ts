import { readNitroDocument } from '@agent-wallet/attestation/nitro';
import { createHash, generateKeyPair, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Evidence, type Vault, type VaultDescription, VaultError } from '../../../ports/vault.js';
import { unwrap, wrap, WRAPPING_KEY_BYTES } from '../wrapping-key.js';
import type { DocumentSource } from './document-command.js';
import type { Kms } from './kms.js';
import { openRecipientCms } from './recipient-cms.js';

const newKeyPair = promisify(generateKeyPair);

const LABEL = 'agent-wallet/aws-nitro-kms-vault/v1';
const RSA_BITS = 2_048;

/**
 * Layout of a stored seal: the length of the wrapping key's blob in two bytes, the blob, and the secret wrapped by that
 * key.
 */
const LENGTH_BYTES = 2;

/**
 * Seals under a wrapping key that KMS makes and keeps encrypted, and gives only to an enclave whose attestation document
 * the key's policy accepts. KMS never sees the secret itself.
 */
export class NitroVault implements Vault {
  constructor(
    private readonly kms: Kms,
    private readonly documents: DocumentSource,
    private readonly keyId: string,
  ) {}

  async seal(secret: Uint8Array): Promise<Buffer> {
    let blob: Buffer | undefined;
    const key = await this.#receive(async (document) => {
      const made = await this.kms.generateDataKey(document);
      blob = made.blob;
      return made.forRecipient;
    });
    const sealed = join(blob ?? Buffer.alloc(0), wrap(key, secret, LABEL));
    key.fill(0);
    // What KMS would not open again must never be stored.
    const opened = await this.unseal(sealed);
    const isSame = opened.length === secret.length && timingSafeEqual(opened, secret);
    opened.fill(0);
    if (!isSame) throw new VaultError('AWS KMS does not give back what was sealed');
    return sealed;
  }

  async unseal(sealed: Uint8Array): Promise<Buffer> {
    const bytes = Buffer.from(sealed);
    const end = LENGTH_BYTES + (bytes.length < LENGTH_BYTES ? 0 : bytes.readUInt16BE());
    if (bytes.length <= end) throw new VaultError('this was not sealed by the vault aws-nitro-kms');
    const blob = bytes.subarray(LENGTH_BYTES, end);
    const key = await this.#receive((document) => this.kms.decrypt(blob, document));
    try {
      return unwrap(key, bytes.subarray(end), LABEL);
    } catch (cause) {
      throw new VaultError(
        'AWS KMS gave another key than the data key was sealed under, or what was sealed is damaged',
        {
          cause,
        },
      );
    } finally {
      key.fill(0);
    }
  }

  /**
   * Returns a document whose user data is the binding. It is signed under AWS's root key, which is named by its
   * SHA-256.
   */
  async evidence(binding: Uint8Array): Promise<Evidence> {
    const document = await this.documents({ userData: binding });
    const [root = Buffer.alloc(0)] = readNitroDocument(document).authorities;
    return { format: 'aws-nitro/v1', keyId: createHash('sha256').update(root).digest('hex'), document };
  }

  describe(): VaultDescription {
    return {
      driver: 'aws-nitro-kms',
      isolation: 'AWS Nitro Enclave: KMS gives the wrapping key to attested enclaves only',
      id: this.keyId,
    };
  }

  /** Has KMS encrypt a wrapping key to a key pair that lives for this one call. */
  async #receive(ask: (document: Buffer) => Promise<Buffer>): Promise<Buffer> {
    const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: RSA_BITS });
    const document = await this.documents({ publicKey: publicKey.export({ type: 'spki', format: 'der' }) });
    const cms = await ask(document);
    let key: Buffer;
    try {
      key = await openRecipientCms(cms, privateKey);
    } catch (cause) {
      throw new VaultError('AWS KMS answered with something that this enclave cannot open', { cause });
    }
    if (key.length === WRAPPING_KEY_BYTES) return key;
    key.fill(0);
    throw new VaultError('AWS KMS gave a wrapping key that is not of 32 bytes');
  }
}

function join(blob: Buffer, wrapped: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(blob.length);
  return Buffer.concat([length, blob, wrapped]);
}
