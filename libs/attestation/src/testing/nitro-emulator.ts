// The certificate library finds its parts through reflection metadata, which must be there before it loads.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createHash, KeyObject, randomBytes, sign, webcrypto } from 'node:crypto';
import { type PlainCbor, writePlainCbor } from '../nitro/plain-cbor.js';

/*
 * An emulator of AWS's Nitro Security Module for tests: it makes attestation documents in AWS's form under a chain of
 * certificates made for the test. There is no enclave, no hypervisor and no hardware behind it.
 */

const SIGNATURE = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } as const;
const HEADER = Buffer.from('a1013822', 'hex');
const HOUR_MS = 3_600_000;
const PCRS = 16;
const { digitalSignature, keyCertSign } = x509.KeyUsageFlags;

/** Options of the emulated hypervisor. */
export interface NitroEmulatorOptions {
  readonly nowMs: number;
  /** Every register is zero. */
  readonly debugMode?: boolean;
  /** Faults in the chain of certificates. */
  readonly faults?: Partial<ChainFaults>;
}

export interface ChainFaults {
  /** Maximum number of authorities below the first one; one is needed. */
  readonly maxAuthoritiesBelow: number;
  readonly signerIsAuthority: boolean;
  readonly signerMayNotSign: boolean;
  readonly authorityMayNotIssue: boolean;
}

/** An enclave's request. */
export interface NitroRequest {
  readonly publicKey?: Uint8Array;
  readonly userData?: Uint8Array;
  readonly nonce?: Uint8Array;
}

/** An emulated Nitro Security Module. */
export interface NitroEmulator {
  /** SHA-256 of its root certificate's DER, in hex. */
  readonly rootSha256: string;
  /** Its registers, in hex. */
  readonly pcrs: readonly string[];
  /** Creates a signed document. @param forge changes the fields before they are signed */
  document(request: NitroRequest, forge?: (fields: Map<string, PlainCbor>) => void): Buffer;
  /** Signs any bytes as if they were a document's payload. */
  signPayload(payload: Uint8Array): Buffer;
}

/** Creates an emulator. All its certificates are valid from an hour before the given time until an hour after it. */
export async function createNitroEmulator(options: NitroEmulatorOptions): Promise<NitroEmulator> {
  const { nowMs, debugMode = false, faults = {} } = options;
  const root = await issue({ name: 'emulated.nitro-enclaves', nowMs, extensions: authority(undefined) });
  const zone = await issue({
    name: 'zone.emulated.nitro-enclaves',
    nowMs,
    issuer: root,
    extensions: authority(faults.maxAuthoritiesBelow ?? 1, faults.authorityMayNotIssue),
  });
  const host = await issue({ name: 'i-0.emulated', nowMs, issuer: zone, extensions: authority(0) });
  const signer = await issue({ name: 'i-0-enc0.emulated', nowMs, issuer: host, extensions: endEntity(faults) });
  const pcrs = Array.from({ length: PCRS }, (_, i) =>
    debugMode || i > 4 ? Buffer.alloc(48) : createHash('sha384').update(`register ${i}`).digest(),
  );
  const signPayload = (payload: Uint8Array) => signAsCose(Buffer.from(payload), KeyObject.from(signer.keys.privateKey));
  return {
    rootSha256: createHash('sha256').update(root.der).digest('hex'),
    pcrs: pcrs.map((pcr) => pcr.toString('hex')),
    signPayload,
    document: (request, forge) => {
      const fields = new Map<string, PlainCbor>([
        ['module_id', 'i-0-enc0'],
        ['digest', 'SHA384'],
        ['timestamp', nowMs],
        ['pcrs', new Map(pcrs.map((pcr, i) => [i, pcr]))],
        ['certificate', signer.der],
        ['cabundle', [root.der, zone.der, host.der]],
        ['public_key', optional(request.publicKey)],
        ['user_data', optional(request.userData)],
        ['nonce', optional(request.nonce)],
      ]);
      forge?.(fields);
      return signPayload(writePlainCbor(fields));
    },
  };
}

function signAsCose(payload: Buffer, key: KeyObject): Buffer {
  const signed = writePlainCbor(['Signature1', HEADER, Buffer.alloc(0), payload]);
  const signature = sign('sha384', signed, { key, dsaEncoding: 'ieee-p1363' });
  return writePlainCbor([HEADER, new Map(), payload, signature]);
}

function optional(bytes: Uint8Array | undefined): PlainCbor {
  return bytes ? Buffer.from(bytes) : null;
}

function authority(maxAuthoritiesBelow: number | undefined, mayNotIssue = false): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, maxAuthoritiesBelow, true),
    new x509.KeyUsagesExtension(mayNotIssue ? digitalSignature : keyCertSign, true),
  ];
}

function endEntity({ signerIsAuthority = false, signerMayNotSign = false }: Partial<ChainFaults>): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(signerIsAuthority, undefined, true),
    new x509.KeyUsagesExtension(
      (signerMayNotSign ? 0 : digitalSignature) | (signerIsAuthority ? keyCertSign : x509.KeyUsageFlags.keyAgreement),
      true,
    ),
  ];
}

interface Issued {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly der: Buffer;
}

async function issue(options: {
  readonly name: string;
  readonly nowMs: number;
  readonly issuer?: Issued;
  readonly extensions: x509.Extension[];
}): Promise<Issued> {
  const { name, nowMs, issuer, extensions } = options;
  const keys = await webcrypto.subtle.generateKey(SIGNATURE, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString('hex'),
    notBefore: new Date(nowMs - HOUR_MS),
    notAfter: new Date(nowMs + HOUR_MS),
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: SIGNATURE,
    extensions,
  });
  return { name, keys, der: Buffer.from(certificate.rawData) };
}
