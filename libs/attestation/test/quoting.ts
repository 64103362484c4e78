import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bindingOf, type Evidence, permitKeysHash, statementBytes } from '../src/index.js';
import { keyIdOf } from '../src/one-form.js';
import type { AttestedReplica } from '../src/verify-replica.js';

export const NONCE = Buffer.alloc(32, 0x4e);
export const PERMIT_KEYS = [
  { keyId: 'permit-2', publicKey: Buffer.alloc(32, 2) },
  { keyId: 'permit-1', publicKey: Buffer.alloc(32, 1) },
];
export const BUILD = Buffer.alloc(32, 0xb1);

/** A key as a TPM or a token has one. */
export const newKey = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
export const idOf = (key: KeyObject): string => keyIdOf(key);

const u16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const sized = (bytes: Uint8Array) => Buffer.concat([u16(bytes.length), bytes]);

/** What a quote says. */
export interface QuoteParts {
  readonly key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly pcrs: Readonly<Record<string, string>>;
  readonly magic?: number;
  readonly type?: number;
  /** Registers in the document, where they are others than those quoted. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** Evidence as a TPM gives it, of registers of the bank sha256 below 24. */
export function quote(
  binding: Uint8Array,
  { key, pcrs, magic = 0xff544347, type = 0x8018, shown }: QuoteParts,
): Evidence {
  const indices = Object.keys(pcrs).map(Number);
  const select = [0, 1, 2].map((byte) =>
    indices.filter((index) => index >> 3 === byte).reduce((bits, index) => bits | (1 << (index % 8)), 0),
  );
  const digest = createHash('sha256');
  for (const index of indices) digest.update(Buffer.from(pcrs[index]!, 'hex'));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(magic);
  const attest = Buffer.concat([
    ...[head, u16(type), sized(Buffer.alloc(34, 7)), sized(binding), Buffer.alloc(17, 3), Buffer.alloc(8, 4)],
    ...[Buffer.from([0, 0, 0, 1]), u16(0x000b), Buffer.from([3, ...select]), sized(digest.digest())],
  ]);
  const raw = sign('sha256', attest, { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  const signature = Buffer.concat([u16(0x0018), u16(0x000b), sized(raw.subarray(0, 32)), sized(raw.subarray(32))]);
  const document = {
    attest: attest.toString('base64'),
    signature: signature.toString('base64'),
    pcrs: { sha256: shown ?? pcrs },
    ak: key.publicKey.export({ type: 'spki', format: 'pem' }),
  };
  return { format: 'tpm2-quote/v1', keyId: idOf(key.publicKey), document: Buffer.from(JSON.stringify(document)) };
}

/** Evidence as a token gives it. */
export function tokenEvidence(binding: Uint8Array, key: QuoteParts['key']): Evidence {
  const signed = Buffer.concat([Buffer.from('agentwallet/pkcs11-evidence/v1\n'), binding]);
  const document = {
    publicKey: key.publicKey.export({ type: 'spki', format: 'pem' }),
    signature: sign('sha256', signed, { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64'),
    token: { label: 'test', serialNumber: '1', manufacturer: 'us', model: 'v1' },
  };
  return { format: 'pkcs11/v1', keyId: idOf(key.publicKey), document: Buffer.from(JSON.stringify(document)) };
}

/** What a replica says of itself, and how it proves it. */
export interface Answering {
  readonly driver: string;
  readonly nonce?: Uint8Array;
  readonly ephemeralKey?: Uint8Array;
  readonly evidence: (binding: Uint8Array) => Evidence;
}

/** The answer of a replica. */
export function answer({
  driver,
  nonce = NONCE,
  ephemeralKey = Buffer.alloc(32, 0xe1),
  evidence,
}: Answering): AttestedReplica {
  const said = { nonce, driver, isolation: 'a test', buildDigest: BUILD, ephemeralKey };
  const statement = statementBytes({ ...said, permitKeysHash: permitKeysHash(PERMIT_KEYS) });
  const boundNonce = bindingOf(statement);
  const plain = { statement, boundNonce, buildDigest: BUILD, ephemeralKey, permitKeys: PERMIT_KEYS };
  return { ...plain, evidence: evidence(boundNonce) };
}

/** Every byte of it flipped, one at a time. */
export function* flipped(bytes: Uint8Array): Generator<readonly [at: number, bytes: Buffer]> {
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    yield [at, changed];
  }
}
