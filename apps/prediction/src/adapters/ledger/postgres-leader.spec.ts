import type { Database } from '@agent-wallet/platform';
import { expect, it } from '@jest/globals';
import { PostgresLeader } from './postgres-leader.js';

it('never uses a session again that may come to hold the lock, because it gave no answer', async () => {
  const silence = new Error('Query read timeout');
  const released: unknown[] = [];
  const client = { query: () => Promise.reject(silence), release: (error: unknown) => released.push(error) };
  const pool = { connect: async () => client } as unknown as Database['pool'];
  const leader = new PostgresLeader({ pool, schema: 'prediction' });
  await expect(leader.lead('settlement', async () => 'done')).rejects.toBe(silence);
  expect(released).toEqual([silence]);
});
