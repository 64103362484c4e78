import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';

const ENVELOPED_DATA = '1.2.840.113549.1.7.3';
const DATA = '1.2.840.113549.1.7.1';
const RSAES_OAEP = '1.2.840.113549.1.1.7';
const AES_256_CBC = '2.16.840.1.101.3.4.1.42';
const AES_KEY_BYTES = 32;
const MAX_CMS_BYTES = 8 * 1024;

/**
 * Opens what KMS encrypts for the key in an attestation document: CMS EnvelopedData (RFC 5652) with one recipient, whose
 * content key is transported by RSAES-OAEP with SHA-256, and whose content is encrypted by AES-256-CBC. KMS writes it in
 * BER, in parts.
 * @returns the plaintext; the caller wipes it
 * @throws Error when it is anything else, or for another key
 */
export async function openRecipientCms(cms: Uint8Array, privateKey: KeyObject): Promise<Buffer> {
  if (cms.length > MAX_CMS_BYTES) throw new Error('the envelope is too large');
  const { encryptedKey, iv, ciphertext } = await readEnvelope(cms);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const key = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha256' }, encryptedKey);
  try {
    if (key.length !== AES_KEY_BYTES) throw new Error('the content key is not of 32 bytes');
    const decipher = createDecipheriv('aes-256-cbc', key, iv);
    const start = decipher.update(ciphertext);
    const end = decipher.final();
    const plaintext = Buffer.concat([start, end]);
    start.fill(0);
    end.fill(0);
    return plaintext;
  } finally {
    key.fill(0);
  }
}

interface Envelope {
  readonly encryptedKey: Buffer;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
}

/** Reads an envelope. Loads the ASN.1 packages here, so that only a signer in an enclave has them. */
async function readEnvelope(cms: Uint8Array): Promise<Envelope> {
  const [{ AsnConvert, OctetString }, { ContentInfo, EnvelopedData }] = await Promise.all([
    import('@peculiar/asn1-schema'),
    import('@peculiar/asn1-cms'),
  ]);
  const outer = AsnConvert.parse(cms, ContentInfo);
  if (outer.contentType !== ENVELOPED_DATA) throw new Error('this is not enveloped data');
  const { recipientInfos, encryptedContentInfo: content } = AsnConvert.parse(outer.content, EnvelopedData);
  const recipient = recipientInfos.length === 1 ? recipientInfos[0]?.ktri : undefined;
  if (recipient?.keyEncryptionAlgorithm.algorithm !== RSAES_OAEP) throw new Error('the key is not transported by OAEP');
  const { algorithm, parameters } = content.contentEncryptionAlgorithm;
  if (content.contentType !== DATA || algorithm !== AES_256_CBC || !parameters)
    throw new Error('the cipher is another');
  const { value, constructedValue } = content.encryptedContent ?? {};
  const parts = constructedValue ?? (value ? [value] : []);
  return {
    encryptedKey: Buffer.from(recipient.encryptedKey.buffer),
    iv: Buffer.from(AsnConvert.parse(parameters, OctetString).buffer),
    ciphertext: Buffer.concat(parts.map((part) => Buffer.from(part.buffer))),
  };
}
