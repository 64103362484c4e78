import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expectFailure } from './expect-failure.js';
import type { Client } from './client.js';
import { World, writeTokenKey } from './world.js';

let world: World;
let client: Client;
let token: string;
let claims: Record<string, unknown>;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(async () => {
  await world.reset();
  ({ client, token } = await world.login());
  claims = payloadOf(token);
});
afterAll(() => world.close());

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] as string, 'base64url').toString());
const headerOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] as string, 'base64url').toString());

function ownKey(): KeyObject {
  return createPrivateKey(readFileSync(path.join(world.settings.jwt.keysPath, '2026-01.pem')));
}

function make(header: object, payload: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const GOOD_HEADER = { alg: 'ES256', typ: 'JWT', kid: '2026-01' };

async function statusWith(bearer: string): Promise<number> {
  const answer = await client.as(bearer).get('/wallets/me/policy');
  if (answer.status === 401) expect(answer.body.data.code).toBe('AUTHENTICATION_ERROR');
  return answer.status;
}

describe('a token', () => {
  it('says who, which session, from when to when, from whom and for whom', () => {
    expect(headerOf(token)).toEqual(GOOD_HEADER);
    expect(claims).toEqual({
      sub: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      auth_time: claims.iat,
      exp: (claims.iat as number) + 168 * 3600,
      iss: 'agent-wallet',
      aud: 'agent-wallet-api',
    });
  });

  it('made again by hand with our key is good: the refusals below are for what they change', async () => {
    expect(await statusWith(make(GOOD_HEADER, claims, ownKey()))).toBe(200);
  });

  it('is refused when it is altered', async () => {
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const flipped = signature.slice(0, 20) + (signature[20] === 'A' ? 'B' : 'A') + signature.slice(21);
    const forged = [
      '',
      'x',
      'a.b.c',
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${encode({ ...claims, sub: newId() })}.${signature}`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      `${encode({ ...GOOD_HEADER, alg: 'none' })}.${payload}.${signature}`,
      `${encode({ ...GOOD_HEADER, alg: 'ES384' })}.${payload}.${signature}`,
      `${encode({ ...GOOD_HEADER, kid: undefined })}.${payload}.${signature}`,
      `${encode({ ...GOOD_HEADER, kid: '../2026-01' })}.${payload}.${signature}`,
      `${encode({ ...GOOD_HEADER, kid: 7 })}.${payload}.${signature}`,
    ];
    for (const bearer of forged) expect(await statusWith(bearer)).toBe(401);
  });

  it('is refused when it is signed with our public key as a shared secret', async () => {
    const pem = createPublicKey(ownKey()).export({ type: 'spki', format: 'pem' });
    const input = `${encode({ ...GOOD_HEADER, alg: 'HS256' })}.${encode(claims)}`;
    const mac = createHmac('sha256', pem).update(input).digest('base64url');
    expect(await statusWith(`${input}.${mac}`)).toBe(401);
  });

  it('is refused from a foreign key, even under our key id', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(await statusWith(make(GOOD_HEADER, claims, privateKey))).toBe(401);
    const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
    expect(await statusWith(make({ ...GOOD_HEADER, jwk }, claims, privateKey))).toBe(401);
  });

  it.each([
    ['another issuer', { iss: 'another-issuer' }],
    ['another audience', { aud: 'somewhere' }],
    ['no audience', { aud: undefined }],
    ['an end that has passed', { exp: 1 }],
    ['no end', { exp: undefined }],
    ['no login', { auth_time: undefined }],
    ['a session that was never opened', { jti: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f' }],
    ['a session of another agent', { sub: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f' }],
    ['a session that is none', { jti: `' or 1=1` }],
  ])('is refused with %s, though our key signed it', async (_, change) => {
    expect(await statusWith(make(GOOD_HEADER, { ...claims, ...change }, ownKey()))).toBe(401);
  });

  it('comes in the Authorization header as Bearer, and in no other way', async () => {
    const status = async (authorization?: string | string[]) =>
      (await world.client.get('/wallets/me/policy', { headers: authorization ? { authorization } : {} })).status;
    for (const right of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`])
      expect(await status(right)).toBe(200);
    const wrong = [
      undefined,
      token,
      `Basic ${token}`,
      `Bearer${token}`,
      `Bearer\t${token}`,
      `Bearer ${token} junk`,
      `Bearer ${token},Bearer ${token}`,
      `Bearer ${token}.`,
      `Bearer ${token}.x`,
      `Bearer ${token}=`,
      `Bearer "${token}"`,
      `x Bearer ${token}`,
    ];
    for (const text of wrong) expect([text, await status(text)]).toEqual([text, 401]);
    expect((await world.client.get(`/wallets/me/policy?access_token=${token}`)).status).toBe(401);
  });

  it('that is refused says why', async () => {
    const ask = async (authorization?: string) => {
      const answer = await world.client.get('/wallets/me/policy', { headers: authorization ? { authorization } : {} });
      expectFailure(answer, 401, 'AUTHENTICATION_ERROR');
      const { reason, retry, retryable } = answer.body.data;
      expect([retry, retryable]).toEqual(['same_key', false]);
      return [reason, answer.body.message];
    };
    const signed = (change: object) => `Bearer ${make(GOOD_HEADER, { ...claims, ...change }, ownKey())}`;
    expect((await ask())[0]).toBe('missing');
    expect((await ask(`Basic ${token}`))[0]).toBe('malformed');
    expect((await ask(signed({ iss: 'another-issuer' })))[0]).toBe('invalid');
    expect(await ask(signed({ exp: 1 }))).toEqual(['expired', 'The bearer token has expired. Log in again.']);
    expect((await ask(signed({ jti: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f' })))[0]).toBe('revoked');
  });

  it('comes once', async () => {
    for (const second of [`Bearer ${token}`, 'Bearer x', 'Basic x', '']) {
      for (const authorization of [
        [`Bearer ${token}`, second],
        [second, `Bearer ${token}`],
      ]) {
        expect((await world.client.get('/wallets/me/policy', { headers: { authorization } })).status).toBe(401);
      }
    }
  });

  it('is written in one way: bits that its base64url has left over are zero', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    const others = [1, 2, 3].map((bits) => token.slice(0, -1) + alphabet[last + bits]);
    const signature = (text: string) => Buffer.from(text.split('.')[2] as string, 'base64url').toString('hex');
    for (const other of others) {
      expect(signature(other)).toBe(signature(token));
      expect(await statusWith(other)).toBe(401);
    }
  });
});

describe('keys', () => {
  it('are published, and verify our tokens', async () => {
    const { keys } = (await world.client.get('/.well-known/jwks.json')).body;
    expect(keys).toHaveLength(1);
    expect(keys[0]).toEqual({
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: '2026-01',
      alg: 'ES256',
      use: 'sig',
    });
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const key = createPublicKey({ key: keys[0], format: 'jwk' });
    const verify = createVerify('sha256').update(`${header}.${payload}`);
    expect(verify.verify({ key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('rotate without a restart: the newest signs after two minutes, the old one verifies until it is taken out', async () => {
    const { keysPath } = world.settings.jwt;
    writeTokenKey(keysPath, '2026-02');
    await eventually(async () => (await world.client.get('/.well-known/jwks.json')).body.keys.length === 2);
    expect(headerOf((await world.login()).token).kid).toBe('2026-01');
    world.clock.aheadMs += 2 * 60_000;
    const renewed = (await world.login()).token;
    expect(headerOf(renewed).kid).toBe('2026-02');
    expect([await statusWith(token), await statusWith(renewed)]).toEqual([200, 200]);
    rmSync(path.join(keysPath, '2026-01.pem'));
    await eventually(async () => (await statusWith(token)) === 401);
    expect(await statusWith(renewed)).toBe(200);
    writeTokenKey(keysPath, '2026-01');
  });
});
