import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { AttestationRefused } from '../attestation-refused.js';
import { type ChainFaults, createNitroEmulator, type NitroEmulator } from '../testing/nitro-emulator.js';
import { type PlainCbor, writePlainCbor } from './plain-cbor.js';
import { AWS_NITRO_ROOT_SHA256, verifyNitroDocument, verifyNitroEvidence } from './verify-nitro-document.js';

// Documents come from an emulator with a root of its own: what is shown is what the verifier refuses.

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const given = { publicKey: randomBytes(294), userData: randomBytes(32), nonce: randomBytes(20) };

let nitro: NitroEmulator;
let document: Buffer;
beforeAll(async () => {
  nitro = await createNitroEmulator({ nowMs: NOW_MS });
  document = nitro.document(given);
});

const expected = () => ({ nowMs: NOW_MS, rootSha256: nitro.rootSha256 });
const verify = (bytes: Uint8Array, more = {}) => verifyNitroDocument(bytes, { ...expected(), ...more });
const checkThatFails = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof AttestationRefused) return error.check;
    throw error;
  }
  return 'none';
};

describe('a Nitro document', () => {
  it('is read when all of it is as expected', () => {
    const pcrs = { 0: ['00'.repeat(48), nitro.pcrs[0]!], 2: [nitro.pcrs[2]!.toUpperCase()] };
    const content = verify(document, { ...given, pcrs });
    expect(content).toMatchObject({ moduleId: 'i-0-enc0', timestampMs: NOW_MS, ...given });
    expect(content.pcrs.get(1)?.toString('hex')).toBe(nitro.pcrs[1]);
  });

  it('may stand behind the tag of COSE_Sign1', () => {
    expect(verify(Buffer.concat([Buffer.from([0xd2]), document])).userData).toEqual(given.userData);
  });

  it('gives what was left out as nothing', () => {
    expect(verify(nitro.document({}))).toMatchObject({ nonce: Buffer.alloc(0), publicKey: Buffer.alloc(0) });
    expect(checkThatFails(() => verify(nitro.document({}), { nonce: given.nonce }))).toBe('wrong_binding');
  });

  it.each(['nonce', 'userData', 'publicKey'] as const)('of another %s is refused', (field) => {
    const other = Buffer.from(given[field]);
    other[0]! ^= 1;
    expect(checkThatFails(() => verify(document, { [field]: other }))).toBe('wrong_binding');
    expect(checkThatFails(() => verify(document, { [field]: given[field].subarray(1) }))).toBe('wrong_binding');
  });

  it('with a register that is not accepted, or not there, is refused', () => {
    expect(checkThatFails(() => verify(document, { pcrs: { 0: ['11'.repeat(48)] } }))).toBe('wrong_measurement');
    expect(checkThatFails(() => verify(document, { pcrs: { 0: [] } }))).toBe('wrong_measurement');
    expect(checkThatFails(() => verify(document, { pcrs: { 31: [nitro.pcrs[0]!] } }))).toBe('wrong_measurement');
  });

  it('is refused in debug mode, also when only one register of the image is zero', async () => {
    const debug = await createNitroEmulator({ nowMs: NOW_MS, debugMode: true });
    const refuse = () => verifyNitroDocument(debug.document({}), { nowMs: NOW_MS, rootSha256: debug.rootSha256 });
    expect(checkThatFails(refuse)).toBe('debug_mode');
    for (const index of [0, 1, 2]) {
      const forged = nitro.document({}, (fields) => {
        (fields.get('pcrs') as Map<number, Buffer>).set(index, Buffer.alloc(48));
      });
      expect(checkThatFails(() => verify(forged))).toBe('debug_mode');
      const without = nitro.document({}, (fields) => void (fields.get('pcrs') as Map<number, Buffer>).delete(index));
      expect(checkThatFails(() => verify(without))).toBe('debug_mode');
    }
  });

  it('is refused before and after the time of its certificates, and accepted at the ends of it', () => {
    expect(checkThatFails(() => verify(document, { nowMs: NOW_MS - HOUR_MS }))).toBe('none');
    expect(checkThatFails(() => verify(document, { nowMs: NOW_MS + HOUR_MS }))).toBe('none');
    expect(checkThatFails(() => verify(document, { nowMs: NOW_MS - HOUR_MS - 1_000 }))).toBe('expired_chain');
    expect(checkThatFails(() => verify(document, { nowMs: NOW_MS + HOUR_MS + 1_000 }))).toBe('expired_chain');
  });

  it('under another root is refused, and AWS is the one that is trusted unless another is named', async () => {
    const other = await createNitroEmulator({ nowMs: NOW_MS });
    expect(checkThatFails(() => verify(other.document(given)))).toBe('unknown_key');
    expect(checkThatFails(() => verifyNitroDocument(document, { nowMs: NOW_MS }))).toBe('unknown_key');
    expect(AWS_NITRO_ROOT_SHA256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('whose chain only borrows the trusted root is refused', async () => {
    const other = await createNitroEmulator({ nowMs: NOW_MS });
    let root: PlainCbor = null;
    nitro.document({}, (fields) => void (root = (fields.get('cabundle') as Buffer[])[0]!));
    const borrowed = other.document({}, (fields) => void ((fields.get('cabundle') as PlainCbor[])[0] = root));
    expect(checkThatFails(() => verify(borrowed))).toBe('unknown_key');
  });

  it.each([
    ['a chain longer than an authority allows', { maxAuthoritiesBelow: 0 }],
    ['a signer that is an authority', { signerIsAuthority: true }],
    ['a signer that may not sign', { signerMayNotSign: true }],
    ['an authority that may not issue', { authorityMayNotIssue: true }],
  ] satisfies [string, Partial<ChainFaults>][])('with %s is refused', async (_, faults) => {
    const faulty = await createNitroEmulator({ nowMs: NOW_MS, faults });
    const refuse = () => verifyNitroDocument(faulty.document({}), { nowMs: NOW_MS, rootSha256: faulty.rootSha256 });
    expect(checkThatFails(refuse)).toBe('unknown_key');
  });

  it('signed by an authority of the chain instead of its own certificate is refused', () => {
    const forged = nitro.document({}, (fields) => {
      const authorities = fields.get('cabundle') as Buffer[];
      fields.set('certificate', authorities.pop()!);
    });
    expect(checkThatFails(() => verify(forged))).toBe('unknown_key');
  });

  it('with any byte flipped is refused', () => {
    for (let i = 0; i < document.length; i += 17) {
      const flipped = Buffer.from(document);
      flipped[i]! ^= 1 << (i % 8);
      expect([i, checkThatFails(() => verify(flipped))]).not.toEqual([i, 'none']);
    }
  });
});

describe('evidence of a Nitro enclave', () => {
  const accepted = () => ({ pcrs: { 0: [nitro.pcrs[0]!] }, rootSha256: nitro.rootSha256 });
  const evidence = () => ({ format: 'aws-nitro/v1', keyId: nitro.rootSha256, document });
  const binding = given.userData;

  it('binds what the enclave said as user data', () => {
    expect(() => verifyNitroEvidence(evidence(), { binding, nowMs: NOW_MS }, accepted())).not.toThrow();
    const other = () => verifyNitroEvidence(evidence(), { binding: randomBytes(32), nowMs: NOW_MS }, accepted());
    expect(checkThatFails(other)).toBe('wrong_binding');
  });

  it('is refused by a policy that names no register, and under a root that it does not name', () => {
    const everybody = { ...accepted(), pcrs: {} };
    expect(checkThatFails(() => verifyNitroEvidence(evidence(), { binding, nowMs: NOW_MS }, everybody))).toBe(
      'wrong_measurement',
    );
    const misnamed = { ...evidence(), keyId: AWS_NITRO_ROOT_SHA256 };
    expect(checkThatFails(() => verifyNitroEvidence(misnamed, { binding, nowMs: NOW_MS }, accepted()))).toBe(
      'unknown_key',
    );
  });
});

describe('a payload of another form', () => {
  it.each<[string, string, PlainCbor | undefined]>([
    ['no module', 'module_id', undefined],
    ['an empty module', 'module_id', ''],
    ['another digest', 'digest', 'SHA256'],
    ['no time', 'timestamp', 0],
    ['a text as time', 'timestamp', '1'],
    ['no registers', 'pcrs', new Map()],
    ['a list of registers', 'pcrs', [Buffer.alloc(48, 1)]],
    ['a register of 32 bytes', 'pcrs', new Map([[0, Buffer.alloc(32, 1)]])],
    ['a register with a name', 'pcrs', new Map([['0', Buffer.alloc(48, 1)]])],
    ['a register 32', 'pcrs', new Map([[32, Buffer.alloc(48, 1)]])],
    ['no certificate', 'certificate', Buffer.alloc(0)],
    ['a certificate that is none', 'certificate', Buffer.from('certificate')],
    ['a certificate of 1025 bytes', 'certificate', Buffer.alloc(1025)],
    ['no authorities', 'cabundle', []],
    ['nine authorities', 'cabundle', Array.from({ length: 9 }, () => Buffer.alloc(1))],
    ['a text among the authorities', 'cabundle', ['root']],
    ['a text as nonce', 'nonce', 'nonce'],
    ['a nonce of 1025 bytes', 'nonce', Buffer.alloc(1025)],
  ])('is malformed: %s', (_, field, value) => {
    const forged = nitro.document(
      {},
      (fields) => void (value === undefined ? fields.delete(field) : fields.set(field, value)),
    );
    expect(checkThatFails(() => verify(forged))).toBe('malformed');
  });

  it('is malformed: not a map', () => {
    expect(checkThatFails(() => verify(nitro.signPayload(writePlainCbor(['SHA384']))))).toBe('malformed');
  });
});
