import { describe, expect, it } from '@jest/globals';
import { leaksIn, needlesOf } from './leaks.mjs';

const base64 = (text) => Buffer.from(text).toString('base64');
const secret = (data) => [{ metadata: { name: 'a' }, data }];
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ\nabcdefghijkl\n-----END PRIVATE KEY-----\n';

describe('secrets in logs', () => {
  it.each([
    ['as they are', 'x correct-horse y'],
    ['in base64', `x ${base64('correct-horse')} y`],
    ['in hex', `x ${Buffer.from('correct-horse').toString('hex')} y`],
  ])('are found %s', (_, text) => {
    expect(leaksIn([{ file: 'f.log', text }], needlesOf(secret({ password: base64('correct-horse') })))).toEqual([
      'a/password in f.log',
    ]);
  });

  it('are found by one line of a key, and as JSON writes it', () => {
    const needles = needlesOf(secret({ 'tls.key': base64(PEM) }));
    expect(leaksIn([{ file: 'f', text: 'MC4CAQAwBQYDK2VwBCIEIJ' }], needles)).toHaveLength(1);
    expect(leaksIn([{ file: 'f', text: JSON.stringify({ key: PEM.trim() }) }], needles).length).toBeGreaterThan(0);
    expect(leaksIn([{ file: 'f', text: '-----BEGIN PRIVATE KEY-----' }], needles)).toEqual([]);
  });

  it('are no certificates, and no addresses without a password', () => {
    const data = { 'tls.crt': base64(PEM), 'smtp-url': base64('smtp://sandbox:8904') };
    expect(needlesOf(secret(data))).toEqual([]);
    expect(needlesOf(secret({ 'smtp-url': base64('smtp://me:password@mail:25') })).length).toBeGreaterThan(0);
  });

  it('are otps only where they stand alone', () => {
    const needles = [{ what: 'otp', text: '123456' }];
    expect(leaksIn([{ file: 'f', text: 'at 91234567, 0.123456' }], needles)).toEqual([]);
    expect(leaksIn([{ file: 'f', text: '"code":"123456"' }], needles)).toEqual(['otp in f']);
  });
});
