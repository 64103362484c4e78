import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { decode } from 'cborg';
import fc from 'fast-check';
import { readCoseSign1 } from './cose-sign1.js';
import { readPlainCbor, writePlainCbor } from './plain-cbor.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('plain CBOR', () => {
  it('gives back what was written', () => {
    const value = new Map<string, unknown>([
      ['n', 1_800_000_000_000],
      ['pcrs', new Map([[0, Buffer.alloc(48, 7)]])],
      ['list', ['ä', null, -35, Buffer.alloc(300)]],
    ]);
    expect(readPlainCbor(writePlainCbor(value as never))).toEqual(value);
  });

  it('is read as a library reads it', () => {
    const key = fc.oneof(fc.string(), fc.nat());
    const leaf = fc.oneof(
      fc.string(),
      fc.integer({ min: -4_000_000_000, max: 4_000_000_000 }),
      fc.constant(null),
      fc.uint8Array().map((b) => Buffer.from(b)),
    );
    const value = fc.oneof(
      leaf,
      fc.array(leaf),
      fc.array(fc.tuple(key, leaf)).map((entries) => new Map(entries)),
    );
    fc.assert(
      fc.property(value, (written) => {
        const bytes = writePlainCbor(written);
        expect(readPlainCbor(bytes)).toEqual(decode(bytes, { useMaps: true }));
      }),
    );
  });

  it.each([
    ['a tag that makes a date', 'c1 00'],
    ['a tag that makes a big number', 'c2 41 01'],
    ['a tag that makes a regular expression', 'd8 1b 82 66 526567457870 61 61'],
    ['a tag that makes records', 'd9 dfff 83 19 e000 81 61 61 01'],
    ['a tag of a packed table', 'd8 33 82 80 00'],
    ['a tag that shares a value', 'd8 1c 80'],
    ['a tag inside an array', '81 c1 00'],
    ['a float', 'fb 3ff8000000000000'],
    ['undefined', 'f7'],
    ['true', 'f5'],
    ['bytes without a known length', '5f 41 00 ff'],
    ['an array without a known length', '9f 00 ff'],
    ['a map without a known length', 'bf 00 00 ff'],
    ['a number longer than it need be', '18 17'],
    ['a length longer than it need be', '58 01 00'],
    ['a number of eight bytes that fits four', '1b 00000000 ffffffff'],
    ['a number that no number holds', '1b 001fffffffffffff'],
    ['a key twice', 'a2 00 01 00 02'],
    ['a reserved head', '1c'],
    ['more bytes than there are', '42 00'],
    ['an array of four billion', '9a ffffffff'],
    ['a map of four billion', 'ba ffffffff'],
    ['bytes of four gigabytes', '5a ffffffff 00'],
    ['a text that is not UTF-8', '61 ff'],
    ['a map with bytes as key', 'a1 41 00 00'],
    ['nothing', ''],
    ['two items', '00 00'],
    ['a deep nest', '81'.repeat(5) + '00'],
    ['many parts', `99 0100 ${'00'.repeat(256)}`],
  ])('refuses %s', (_, text) => {
    expect(() => readPlainCbor(hex(text))).toThrow('not a Nitro attestation document');
  });

  it('reads a nest and a number of parts that are just small enough', () => {
    expect(readPlainCbor(hex('81'.repeat(4) + '00'))).toEqual([[[[0]]]]);
    expect(readPlainCbor(hex(`98ff ${'00'.repeat(255)}`))).toHaveLength(255);
    expect(readPlainCbor(hex('1b 001ffffffffffffe'))).toBe(Number.MAX_SAFE_INTEGER - 1);
  });

  it('reads any bytes or refuses them, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const read of [readPlainCbor, readCoseSign1]) {
          try {
            read(bytes);
          } catch (error) {
            expect(error).toMatchObject({ check: 'malformed' });
          }
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe('a COSE_Sign1 object', () => {
  const object = (parts: Record<string, unknown> = {}) => {
    const { header, unprotected, payload, signature } = {
      header: hex('a1013822'),
      unprotected: new Map(),
      payload: Buffer.from('x'),
      signature: Buffer.alloc(96),
      ...parts,
    };
    return writePlainCbor([header, unprotected as never, payload, signature]);
  };

  it('is taken apart', () => {
    expect(readCoseSign1(object()).payload).toEqual(Buffer.from('x'));
  });

  it.each([
    ['another algorithm', { header: hex('a1012e') }],
    ['ES256', { header: hex('a10126') }],
    ['no algorithm', { header: hex('a0') }],
    ['an unprotected header', { unprotected: new Map([[1, -35]]) }],
    ['no payload', { payload: null }],
    ['a short signature', { signature: Buffer.alloc(95) }],
    ['17 KiB of payload', { payload: Buffer.alloc(17 * 1024) }],
  ])('is refused with %s', (_, parts) => {
    expect(() => readCoseSign1(object(parts))).toThrow('not a Nitro attestation document');
  });

  it('is refused when it is something else', () => {
    expect(() => readCoseSign1(writePlainCbor([1, 2, 3]))).toThrow('not a COSE_Sign1 object');
    expect(() => readCoseSign1(writePlainCbor('document'))).toThrow('not a COSE_Sign1 object');
  });
});
