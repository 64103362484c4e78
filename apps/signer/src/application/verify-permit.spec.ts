import { policyV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { sign } from 'node:crypto';
import { claimsFor, foreignKey, NOW_MS, PERMIT_KEY_ID, permitKey, permitOf } from '../../test/support.js';
import { verifyPermit } from './verify-permit.js';

const message = Buffer.from('the bytes to sign');
const intent = { wallet: 'w', action: undefined };
const keys = new Map([[PERMIT_KEY_ID, permitKey.publicKey]]);
const claims = claimsFor(message, { intent });

const verifyAt = (permit: policyV1.Permit | undefined, nowMs = NOW_MS) => verifyPermit(permit, message, keys, nowMs);
const encoded = (change: Partial<policyV1.PermitClaims> = {}) =>
  policyV1.PermitClaims.encode({ ...claims, ...change }).finish();

function reasonOf(permit: policyV1.Permit | undefined, nowMs = NOW_MS): unknown {
  try {
    return verifyAt(permit, nowMs);
  } catch (error) {
    return (error as { data?: { reason?: string } }).data?.reason ?? error;
  }
}

describe('a permit', () => {
  it('of policy for this message gives its claims', () => {
    expect(verifyAt(permitOf(claims))).toEqual(claims);
  });

  it.each([
    ['from the moment it is issued', 0, undefined],
    ['until 60 s later', 60_000, undefined],
    ['not a millisecond longer', 60_001, 'permit_expired'],
    ['from a clock 5 s ahead', -5_000, undefined],
    ['not from a clock further ahead', -5_001, 'permit_not_yet_valid'],
  ])('is good %s', (_, afterMs, reason) => {
    expect(reasonOf(permitOf(claims), NOW_MS + afterMs)).toEqual(reason ?? claims);
  });

  it.each([
    [60_000n, undefined],
    [60_001n, 'permit_lifetime'],
  ])('that lasts %d ms is good or refused: %s', (lifetimeMs, reason) => {
    const given = { ...claims, expiresAtMs: claims.issuedAtMs + lifetimeMs };
    expect(reasonOf(permitOf(given))).toEqual(reason ?? given);
  });

  it('is missing', () => {
    expect(reasonOf(undefined)).toBe('permit_missing');
  });

  it('is refused when signed with a key that is not known, or under the id of one', () => {
    expect(reasonOf(permitOf(claims, foreignKey.privateKey, 'another'))).toBe('permit_key_unknown');
    expect(reasonOf(permitOf(claims, foreignKey.privateKey))).toBe('permit_signature');
  });

  it('is refused when a single bit of its claims or its signature was changed', () => {
    const permit = permitOf(claims);
    for (const part of ['claims', 'signature'] as const) {
      for (let bit = 0; bit < permit[part].length * 8; bit += 7) {
        const bytes = Buffer.from(permit[part]);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        expect(reasonOf({ ...permit, [part]: bytes })).toBe('permit_signature');
      }
    }
  });

  it.each([
    ['none', Buffer.alloc(0)],
    ['too short', Buffer.alloc(63)],
    ['too long', Buffer.alloc(65)],
  ])('is refused when its signature is %s', (_, signature) => {
    expect(reasonOf({ ...permitOf(claims), signature })).toBe('permit_signature');
  });

  it('is refused when policy signed the bare claims, as it signs other things', () => {
    const bytes = Buffer.from(encoded());
    const signature = sign(null, bytes, permitKey.privateKey);
    expect(reasonOf({ claims: bytes, signature, keyId: PERMIT_KEY_ID })).toBe('permit_signature');
  });

  it('is refused for another message', () => {
    expect(reasonOf(permitOf(claimsFor(Buffer.from('other bytes'), { intent })))).toBe('permit_message_hash');
  });

  it.each<[string, Uint8Array]>([
    ['no claims', new Uint8Array()],
    ['bytes that are none', Buffer.from('ffffffff', 'hex')],
    ['a field that is not known', Buffer.concat([encoded(), Buffer.from([0xf8, 0x07, 0x01])])],
    ['a field said twice', Buffer.concat([encoded(), Buffer.from([0x18, 0x01])])],
    ['no intent', encoded({ intent: undefined })],
    ['an agent that is not a UUID', encoded({ agentId: 'me' })],
    ['an agent whose id is reserved', encoded({ agentId: '00000000-0000-0000-0000-000000000001' })],
    ['a permit id that is not a UUID', encoded({ permitId: '' })],
    ['an operation that is not a UUID', encoded({ operationId: '' })],
    ['no step', encoded({ step: 0 })],
    ['no attempt', encoded({ attempt: 0 })],
    ['a short hash', encoded({ messageHash: claims.messageHash.subarray(1) })],
    ['no hash', encoded({ messageHash: Buffer.alloc(0) })],
  ])('is refused with %s, though policy signed it', (_, bytes) => {
    expect(reasonOf(permitOf(bytes))).toBe('permit_malformed');
  });
});
