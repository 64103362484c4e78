import { expect } from '@jest/globals';
import { failureRecord } from '../src/api/schemas/error-records.js';
import type { Reply } from './client.js';

const WITH_RETRY_AFTER = [409, 429, 503];

/** Expects an error of the catalogue, in the envelope, as the contract documents it. */
export function expectFailure(answer: Reply, status: number, code: string): void {
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toMatchObject({ status: false, statusCode: status, data: { code } });
  const parsed = failureRecord.safeParse(answer.body);
  expect(parsed.error?.issues ?? []).toEqual([]);
  const hasRetryAfter = WITH_RETRY_AFTER.includes(status) && parsed.data?.data.retryAt !== null;
  expect(answer.headers['retry-after'] === undefined).toBe(!hasRetryAfter);
}
