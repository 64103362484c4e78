import { describe, expect, it } from '@jest/globals';
import { latestRevisions, type TransactionRecord } from './transaction-record.js';

const record = (id: string, revision: number, change: Partial<TransactionRecord> = {}): TransactionRecord => ({
  id,
  agentId: 'agent',
  revision,
  action: 'transfer',
  status: 'pending',
  shownStatus: 'pending',
  asset: 'SOL',
  amount: 1n,
  decimals: 9,
  recipient: '',
  signature: '',
  facts: new Uint8Array(),
  searchText: '',
  createdAtMs: 1,
  updatedAtMs: 0,
  ...change,
});

describe('the latest revisions', () => {
  it('are one a record, the highest wherever it stands', () => {
    const given = [record('a', 1), record('b', 3), record('a', 3), record('a', 2), record('b', 1)];
    expect(latestRevisions(given)).toEqual([record('a', 3), record('b', 3)]);
  });

  it('keep the time at which the record was first seen', () => {
    const given = [record('a', 1, { createdAtMs: 5 }), record('a', 2, { createdAtMs: 9 })];
    expect(latestRevisions(given)).toEqual([record('a', 2, { createdAtMs: 5 })]);
  });

  it('leave a record to the agent that had it first', () => {
    const given = [record('a', 1), record('a', 2, { agentId: 'another' })];
    expect(latestRevisions(given)).toEqual([record('a', 1)]);
  });
});
