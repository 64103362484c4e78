import { beforeEach, describe, expect, it } from '@jest/globals';
import { FaultBoard } from '../faults/fault-board.js';
import type { RequestHead } from '../http/json-server.js';
import type { Journal } from '../journal/journal.js';
import { Gateway } from './gateway.js';

const NOWHERE = { append: () => 0 } as unknown as Journal;

describe('Gateway', () => {
  let nowMs: number;
  let faults: FaultBoard;
  let gateway: Gateway;

  beforeEach(() => {
    nowMs = 1_700_000_000_000;
    faults = new FaultBoard(NOWHERE);
    gateway = new Gateway(
      faults,
      { nowMs: () => nowMs },
      { calls: { limit: 2, windowMs: 60_000 }, executions: { limit: 1, windowMs: 1_000 } },
    );
  });

  const head = (path: string, key?: string): RequestHead => ({
    method: 'GET',
    path,
    query: new URLSearchParams(),
    headers: key === undefined ? {} : { 'x-api-key': key },
  });

  /** The status of a call to a path, and its headers. */
  const call = (path: string, key?: string): { status: number; headers: Record<string, string> } => {
    const request = head(path, key);
    const status = gateway.admit(request)?.status ?? 200;
    return { status, headers: gateway.headers(status, request) };
  };

  it('refuses the call past the limit, says until when, and lets in the one after that', () => {
    expect([call('/price/v3'), call('/swap/v2/order')].map(({ status }) => status)).toEqual([200, 200]);
    const refused = call('/price/v3');
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'x-ratelimit-current': '3',
      'x-ratelimit-remaining': '-1',
      'x-ratelimit-reset': '1700000060',
    });
    nowMs += 59_999;
    expect(call('/price/v3').status).toBe(429);
    nowMs += 1;
    expect(call('/price/v3').status).toBe(200);
  });

  it('counts executions apart, on the path that has them apart', () => {
    expect([1, 2].map(() => call('/swap/v2/execute').status)).toEqual([200, 429]);
    expect([1, 2, 3].map(() => call('/ultra/v1/execute').status)).toEqual([200, 200, 429]);
    nowMs += 1_000;
    expect(call('/swap/v2/execute').status).toBe(200);
  });

  it('counts each key by itself, and all who have none together', () => {
    for (const key of ['one', undefined]) {
      expect([1, 2, 3].map(() => call('/price/v3', key).status)).toEqual([200, 200, 429]);
    }
    expect(call('/price/v3', 'two').status).toBe(200);
  });

  it('says nothing of limits where it does not answer 200 or 429', () => {
    const unauthorised = call('/price/v3', 'no key at all');
    expect(unauthorised.status).toBe(401);
    expect(Object.keys(unauthorised.headers)).toEqual(['x-api-gateway-request-id']);
  });

  it('refuses because of a fault until the fault’s delay is over', () => {
    faults.arm({ part: 'aggregator', fault: 'error429', times: 1, match: {}, delayMs: 5_000 });
    expect(call('/price/v3').status).toBe(200);
    const reply = gateway.admit(head('/swap/v2/order'));
    expect(reply).toMatchObject({ status: 429, headers: { 'x-ratelimit-remaining': '0' } });
    expect(call('/swap/v2/execute').status).toBe(200);
  });
});
