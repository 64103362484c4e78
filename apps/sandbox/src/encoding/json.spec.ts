import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RawJson, writeJson } from './json.js';

describe('writeJson', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(JSON.parse(writeJson(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it('writes a u64 as an exact number', () => {
    expect(writeJson({ rentEpoch: 18446744073709551615n, none: undefined })).toBe('{"rentEpoch":18446744073709551615}');
  });

  it('passes raw text on as it is', () => {
    expect(writeJson([new RawJson('1e400'), 1])).toBe('[1e400,1]');
  });
});
