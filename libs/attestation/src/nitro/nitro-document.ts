import { readCoseSign1 } from './cose-sign1.js';
import { malformed, type PlainCbor, readPlainCbor } from './plain-cbor.js';

/**
 * Content of a Nitro attestation document. Fields and bounds are those of AWS's specification
 * (aws-nitro-enclaves-nsm-api, attestation_process.md, 2.2 and 3.2.2).
 */
export interface NitroDocument {
  readonly moduleId: string;
  /** Creation time, in Unix milliseconds by the hypervisor's clock. */
  readonly timestampMs: number;
  /** The locked registers, 48 bytes each. */
  readonly pcrs: ReadonlyMap<number, Buffer>;
  /** The DER certificate of the key that signed the document. */
  readonly certificate: Buffer;
  /** DER certificates above it, the root first. */
  readonly authorities: readonly Buffer[];
  /** Value set by the enclave; absent and empty are equivalent. */
  readonly publicKey: Buffer;
  readonly userData: Buffer;
  readonly nonce: Buffer;
}

const PCR_BYTES = 48;
const MAX_PCRS = 32;
const MAX_CERTIFICATE_BYTES = 1024;
const MAX_AUTHORITIES = 8;
const MAX_GIVEN_BYTES = 1024;

/** Registers of the enclave's image; all of them are zero when it runs in debug mode. */
const IMAGE_PCRS = [0, 1, 2];

/**
 * Reads a document without verifying anything.
 * @throws AttestationRefused `malformed`
 */
export function readNitroDocument(document: Uint8Array): NitroDocument {
  return readPayload(readCoseSign1(document).payload);
}

/** Reads the payload of a document. @throws AttestationRefused `malformed` */
export function readPayload(payload: Uint8Array): NitroDocument {
  const fields = readPlainCbor(payload);
  if (!(fields instanceof Map)) throw malformed('its payload is not a map');
  const of = (name: string) => (fields as ReadonlyMap<string, PlainCbor>).get(name);
  const moduleId = of('module_id');
  if (typeof moduleId !== 'string' || moduleId === '') throw malformed('module_id is missing');
  if (of('digest') !== 'SHA384') throw malformed('digest is not SHA384');
  const timestampMs = of('timestamp');
  if (typeof timestampMs !== 'number' || timestampMs <= 0) throw malformed('timestamp is not a time');
  return {
    moduleId,
    timestampMs,
    pcrs: readPcrs(of('pcrs')),
    certificate: readCertificate(of('certificate')),
    authorities: readAuthorities(of('cabundle')),
    publicKey: readGiven(of('public_key'), 'public_key'),
    userData: readGiven(of('user_data'), 'user_data'),
    nonce: readGiven(of('nonce'), 'nonce'),
  };
}

/**
 * Reports whether the enclave runs in debug mode, in which the machine's operator can read its console and change it.
 */
export function isDebugMode({ pcrs }: NitroDocument): boolean {
  return IMAGE_PCRS.some((index) => pcrs.get(index)?.every((byte) => byte === 0) ?? true);
}

function readPcrs(value: PlainCbor | undefined): ReadonlyMap<number, Buffer> {
  if (!(value instanceof Map) || value.size === 0) throw malformed('pcrs is not a map');
  const pcrs = new Map<number, Buffer>();
  for (const [index, register] of value as ReadonlyMap<unknown, PlainCbor>) {
    if (typeof index !== 'number' || index < 0 || index >= MAX_PCRS) throw malformed('a PCR has no index');
    if (!Buffer.isBuffer(register) || register.length !== PCR_BYTES) throw malformed('a PCR is not of 48 bytes');
    pcrs.set(index, register);
  }
  return pcrs;
}

function readAuthorities(value: PlainCbor | undefined): Buffer[] {
  const isOne = Array.isArray(value) && value.length > 0 && value.length <= MAX_AUTHORITIES;
  if (!isOne) throw malformed('cabundle is not a list of certificates');
  return (value as readonly PlainCbor[]).map(readCertificate);
}

function readCertificate(value: PlainCbor | undefined): Buffer {
  const isOne = Buffer.isBuffer(value) && value.length > 0 && value.length <= MAX_CERTIFICATE_BYTES;
  if (!isOne) throw malformed('a certificate is missing or too long');
  return value;
}

function readGiven(value: PlainCbor | undefined, name: string): Buffer {
  if (value === undefined || value === null) return Buffer.alloc(0);
  if (!Buffer.isBuffer(value) || value.length > MAX_GIVEN_BYTES) throw malformed(`${name} is not bytes, or too long`);
  return value;
}
