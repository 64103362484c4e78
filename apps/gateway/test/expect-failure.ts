import { expect } from '@jest/globals';
import type { Reply } from './client.js';

/** Expects an error of the catalogue, in the envelope. */
export function expectFailure(answer: Reply, status: number, code: string): void {
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toMatchObject({
    status: false,
    statusCode: status,
    message: expect.any(String),
    data: { code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), retryable: expect.any(Boolean) },
  });
}
