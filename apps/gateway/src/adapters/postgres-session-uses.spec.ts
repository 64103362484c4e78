import type { Queryable } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { describe, expect, it } from '@jest/globals';
import { PostgresSessionUses } from './postgres-session-uses.js';

const SESSION = { sessionId: 'a', agentId: 'agent' };
const CLIENT = '203.0.113.7';

/** Uses at a clock that stands still, over a database that counts its statements. */
function usesUnderTest() {
  const state = { nowMs: 1_000_000, statements: 0, failing: false };
  const query = () => {
    state.statements += 1;
    return state.failing ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [] });
  };
  const pool = { query } as unknown as Queryable;
  return { state, uses: new PostgresSessionUses(pool, { nowMs: () => state.nowMs }, silent) };
}

describe('uses of a session', () => {
  it('cost one statement a minute, however many there are', async () => {
    const { state, uses } = usesUnderTest();
    for (let n = 0; n < 100; n += 1) await uses.note(SESSION, CLIENT);
    state.nowMs += 59_999;
    await uses.note(SESSION, CLIENT);
    expect(state.statements).toBe(1);
    state.nowMs += 1;
    for (let n = 0; n < 100; n += 1) await uses.note(SESSION, CLIENT);
    expect(state.statements).toBe(2);
  });

  it('fail the request when the first is not stored, and are stored with the next one', async () => {
    const { state, uses } = usesUnderTest();
    state.failing = true;
    await expect(uses.note(SESSION, CLIENT)).rejects.toThrow();
    state.failing = false;
    await uses.note(SESSION, CLIENT);
    expect(state.statements).toBe(2);
    state.nowMs += 60_000;
    state.failing = true;
    await expect(uses.note(SESSION, CLIENT)).resolves.toBeUndefined();
  });
});
