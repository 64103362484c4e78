import { expect, it } from '@jest/globals';
import { failureOf, isMissing, isWithoutSession, isWrongCode } from './failure.js';

const refused = (reason: string) => failureOf(401, { message: 'no', data: { code: 'AUTHENTICATION_ERROR', reason } });

it('a wrong code leaves the session as it is', () => {
  expect(refused('wrong_code').isLoggedOut).toBe(false);
  expect(isWrongCode(refused('wrong_code'))).toBe(true);
  expect(isWrongCode(refused('expired'))).toBe(false);
});

it('a first visit differs from a session that has ended', () => {
  expect([refused('missing'), refused('expired')].map(({ isLoggedOut }) => isLoggedOut)).toEqual([true, true]);
  expect([refused('missing'), refused('expired')].map(isWithoutSession)).toEqual([true, false]);
  expect(isWithoutSession(new TypeError('offline'))).toBe(false);
});

it('what an address does not name is missing, and a service that fails is not', () => {
  const failed = (status: number, code: string) => isMissing(failureOf(status, { message: 'no', data: { code } }));
  expect([failed(404, 'NOT_FOUND'), failed(400, 'VALIDATION_ERROR')]).toEqual([true, true]);
  expect([failed(503, 'SERVICE_UNAVAILABLE'), isMissing(new TypeError('offline'))]).toEqual([false, false]);
});
