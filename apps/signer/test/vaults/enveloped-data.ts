import { constants, createCipheriv, createHash, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';

/*
 * Writes CMS EnvelopedData as AWS KMS answers it for tests of what reads it: BER with parts of unknown length, one recipient
 * by RSAES-OAEP with SHA-256, content by AES-256-CBC in pieces.
 */

const OID = {
  envelopedData: '2a864886f70d010703',
  data: '2a864886f70d010701',
  rsaesOaep: '2a864886f70d010107',
  mgf1: '2a864886f70d010108',
  sha256: '608648016503040201',
  aes256Cbc: '60864801650304012a',
} as const;

const SEQUENCE = 0x30;
const SET = 0x31;
const OCTETS = 0x04;
const VERSION_2 = Buffer.from('020102', 'hex');

/** What may be other than KMS writes it. */
export interface EnvelopeFaults {
  readonly contentKey?: Buffer;
  readonly cipher?: 'aes128Cbc';
  readonly isEnveloped?: boolean;
}

export function envelopedData(plaintext: Uint8Array, publicKey: KeyObject, faults: EnvelopeFaults = {}): Buffer {
  const key = faults.contentKey ?? randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', Buffer.concat([key, Buffer.alloc(32)], 32), iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encryptedKey = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, key);
  const keyId = createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const recipient = der(SEQUENCE, VERSION_2, der(0x80, keyId), oaep(), der(OCTETS, encryptedKey));
  const algorithm = der(SEQUENCE, oid(faults.cipher ? '608648016503040102' : OID.aes256Cbc), der(OCTETS, iv));
  const pieces = [ciphertext.subarray(0, 16), ciphertext.subarray(16)].map((piece) => der(OCTETS, piece));
  const content = open(SEQUENCE, oid(OID.data), algorithm, open(0xa0, ...pieces));
  const body = open(SEQUENCE, VERSION_2, der(SET, recipient), content);
  return open(SEQUENCE, oid(faults.isEnveloped === false ? OID.data : OID.envelopedData), open(0xa0, body));
}

function oaep(): Buffer {
  const sha256 = der(SEQUENCE, oid(OID.sha256), Buffer.from('0500', 'hex'));
  const parameters = der(SEQUENCE, der(0xa0, sha256), der(0xa1, der(SEQUENCE, oid(OID.mgf1), sha256)));
  return der(SEQUENCE, oid(OID.rsaesOaep), parameters);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

/** An element that ends where two zeros stand. */
function open(tag: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);
}
