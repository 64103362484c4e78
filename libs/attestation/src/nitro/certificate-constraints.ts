import type { X509Certificate } from 'node:crypto';

/** A certificate's key usage, and the maximum length of a chain below it. */
export interface CertificateConstraints {
  readonly signsCertificates: boolean;
  readonly signsDocuments: boolean;
  /** Maximum number of authorities below this one; undefined without a limit. */
  readonly maxAuthoritiesBelow: number | undefined;
}

// node:crypto shows neither of the two extensions (RFC 5280, 4.2.1.3 and 4.2.1.9); it has parsed the certificate, which
// makes finding them a walk over well-formed DER.
const KEY_USAGE = '551d0f';
const BASIC_CONSTRAINTS = '551d13';

const DIGITAL_SIGNATURE = 0x80;
const KEY_CERT_SIGN = 0x04;

const INTEGER = 0x02;
const EXTENSIONS = 0xa3;

/** @throws RangeError when the certificate is not DER */
export function constraintsOf(certificate: X509Certificate): CertificateConstraints {
  const extensions = extensionsOf(certificate.raw);
  const usage = partsOf(extensions.get(KEY_USAGE))[0]?.content[1] ?? 0;
  const basic = partsOf(partsOf(extensions.get(BASIC_CONSTRAINTS))[0]?.content);
  const length = basic.find(({ tag }) => tag === INTEGER)?.content;
  return {
    signsCertificates: (usage & KEY_CERT_SIGN) !== 0,
    signsDocuments: (usage & DIGITAL_SIGNATURE) !== 0,
    maxAuthoritiesBelow: length && Number(BigInt(`0x${length.toString('hex')}`)),
  };
}

/** An element of DER: its tag and what stands in it. */
interface Part {
  readonly tag: number;
  readonly content: Buffer;
}

/** Extensions by the hex form of their identifier. */
function extensionsOf(certificate: Buffer): ReadonlyMap<string, Buffer> {
  const body = partsOf(partsOf(certificate)[0]?.content)[0]?.content;
  const list = partsOf(body).find(({ tag }) => tag === EXTENSIONS)?.content;
  const extensions = partsOf(partsOf(list)[0]?.content).map(({ content }) => partsOf(content));
  return new Map(extensions.map((parts) => [parts[0]!.content.toString('hex'), parts.at(-1)!.content]));
}

function partsOf(bytes: Buffer | undefined): Part[] {
  const parts: Part[] = [];
  for (let offset = 0; bytes && offset < bytes.length;) {
    const first = bytes.readUInt8(offset + 1);
    const width = first < 0x80 ? 0 : first & 0x7f;
    const length = width === 0 ? first : bytes.readUIntBE(offset + 2, width);
    const start = offset + 2 + width;
    if (start + length > bytes.length) throw new RangeError('an element is longer than what it stands in');
    parts.push({ tag: bytes[offset]!, content: bytes.subarray(start, start + length) });
    offset = start + length;
  }
  return parts;
}
