import { describe, expect, it } from '@jest/globals';
import { sessionNetwork } from './client-network.js';
import { isLostResponse, mayEnd, type Session, stands, successorEndMs } from './session.js';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000_000 * HOUR_MS;

function session(change: Partial<Session> = {}): Session {
  return {
    id: 'a',
    agentId: 'agent',
    familyId: 'a',
    createdAtMs: NOW_MS,
    authenticatedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 168 * HOUR_MS,
    ...change,
  };
}

describe('a session', () => {
  it('stands until it is revoked or over', () => {
    expect(stands(session(), NOW_MS)).toBe(true);
    expect(stands(session({ revokedAtMs: NOW_MS }), NOW_MS)).toBe(false);
    expect(stands(session({ expiresAtMs: NOW_MS }), NOW_MS)).toBe(false);
  });

  it('may end its own family and sessions whose code is as old as its own or older', () => {
    const caller = session({ familyId: 'a', authenticatedAtMs: NOW_MS });
    const other = (authenticatedAtMs: number) => session({ id: 'b', familyId: 'b', authenticatedAtMs });
    expect(mayEnd(caller, other(NOW_MS - 1_000))).toBe(true);
    expect(mayEnd(caller, other(NOW_MS))).toBe(true);
    expect(mayEnd(caller, other(NOW_MS + 1_000))).toBe(false);
    expect(mayEnd(caller, session({ id: 'c', familyId: 'a', authenticatedAtMs: NOW_MS + 1_000 }))).toBe(true);
  });
});

describe('a replaced token that comes again', () => {
  const replaced = session({ revokedAtMs: NOW_MS, replacedBy: 'b' });
  const successor = session({ id: 'b' });
  it.each([
    ['at once', successor, 0, true],
    ['after 60 seconds', successor, 60_000, true],
    ['after more than 60 seconds', successor, 60_001, false],
    ['when its successor was used', session({ id: 'b', lastUsedAtMs: NOW_MS + 1 }), 2, false],
    ['when its successor has ended', session({ id: 'b', revokedAtMs: NOW_MS + 1 }), 2, false],
    ['when its successor is over', session({ id: 'b', expiresAtMs: NOW_MS + 1 }), 1, false],
  ])('%s: whether its client lost the response', (_, next, afterMs, isLost) => {
    expect(isLostResponse(replaced, next, NOW_MS + afterMs)).toBe(isLost);
  });
});

describe('a refresh', () => {
  const bounds = { lengthMs: 168 * HOUR_MS, maxAgeMs: 2_160 * HOUR_MS };
  it('gives the full length while the last code is young', () => {
    expect(successorEndMs(session(), NOW_MS, bounds)).toBe(NOW_MS + bounds.lengthMs);
  });

  it('extends nothing past the age of the last code', () => {
    const old = session({ authenticatedAtMs: NOW_MS - 2_159 * HOUR_MS, expiresAtMs: NOW_MS + HOUR_MS / 2 });
    expect(successorEndMs(old, NOW_MS, bounds)).toBe(NOW_MS + HOUR_MS);
  });

  it('cuts off nothing of what the token of the last code had', () => {
    const old = session({ expiresAtMs: NOW_MS + 8_760 * HOUR_MS });
    const long = { ...bounds, lengthMs: 8_760 * HOUR_MS };
    expect(successorEndMs(old, NOW_MS + HOUR_MS, long)).toBe(old.expiresAtMs);
    expect(successorEndMs(old, NOW_MS + HOUR_MS, bounds)).toBe(NOW_MS + 169 * HOUR_MS);
  });

  it('ends at a whole second, as tokens do', () => {
    const old = session({ authenticatedAtMs: NOW_MS - 2_160 * HOUR_MS + 1_999, expiresAtMs: NOW_MS });
    expect(successorEndMs(old, NOW_MS, bounds)).toBe(NOW_MS + 1_000);
  });
});

describe('the network of a session', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['0:0:0:0::/64', '0:0:0::/48'],
  ])('of %s is %s', (client, network) => {
    expect(sessionNetwork(client)).toBe(network);
  });
});
