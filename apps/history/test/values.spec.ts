import { auditV1, type operationsV1 } from '@agent-wallet/contracts';
import type { EventRecord } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { PostgresRebuildStore } from '../src/adapters/postgres-rebuild-store.js';
import { PostgresTransactionStore } from '../src/adapters/postgres-transaction-store.js';
import { RebuildHistory } from '../src/application/rebuild-history.js';
import { RecordEvents } from '../src/application/record-events.js';
import { openTestStore, operationEvent, settledEvent, type TestStore } from './support.js';

const { OPERATION_STATUS_CONFIRMED, OPERATION_STATUS_FAILED } = auditV1.OperationStatus;

let store: TestStore;
let recording: RecordEvents;
let transactions: PostgresTransactionStore;

beforeAll(async () => {
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
  transactions = new PostgresTransactionStore(store.history);
});
afterAll(() => store.close());

/** A confirmed operation of a new agent, and the events that settle it. */
function confirmed(change: Partial<auditV1.OperationChanged> = {}) {
  const [agentId, operationId] = [newId(), newId()];
  const event = operationEvent(agentId, { operationId, revision: 2, status: OPERATION_STATUS_CONFIRMED, ...change });
  const settle = (value: bigint, step = 1, by = agentId) => settledEvent(by, { operationId, step, value });
  return { agentId, operationId, event, settle };
}

async function record(...batches: EventRecord[][]): Promise<void> {
  for (const batch of batches) await recording.execute(batch);
}

/** Reads the value by each of the reads that show records. */
async function values({ agentId, operationId }: { agentId: string; operationId: string }) {
  const list = { agentId, action: undefined, limit: 10, offset: 0 };
  const filters = [undefined, { fromMs: 0 }, { status: 'confirmed' }] as const;
  const pages = filters.map(async (filter) => (await transactions.page({ ...list, filter })).records);
  const reads = [...(await Promise.all(pages)), await transactions.all(agentId, [operationId])];
  const found = [await transactions.find(agentId, operationId), ...reads.map(([first]) => first)];
  const all = found.map((each) => each?.valueUsdMicros);
  expect(new Set(all).size).toBe(1);
  return all[0];
}

function buyFacts(escrow: bigint, refund: bigint | undefined, refundedToBalance = false): operationsV1.OperationFacts {
  const amounts = { escrowUsdMicros: escrow, refundedUsdMicros: refund };
  const value = { order: undefined, ...amounts, refundSignature: '', refundedToBalance };
  return { errorJson: '', action: { $case: 'predictionBuy', value } };
}

describe('the value of a record', () => {
  it.each(['before', 'after', 'beside'] as const)('is known if policy settles it %s its last event', async (when) => {
    const operation = confirmed();
    const [changed, settled] = [[operation.event], [operation.settle(5_000_000n)]];
    if (when === 'before') await record(settled, changed);
    if (when === 'after') await record(changed, settled);
    if (when === 'beside') await record([...settled, ...changed]);
    expect(await values(operation)).toBe(5_000_000n);
  });

  it('is the sum of its steps, however they are batched, and counts each event once', async () => {
    const operation = confirmed();
    const [first, second, third] = [1n, 10n, 100n].map((value, i) => operation.settle(value, i + 1));
    await record([operation.event, first!, second!], [second!, third!], [first!]);
    expect(await values(operation)).toBe(111n);
  });

  it('is unknown before policy settles it, and for a failed operation', async () => {
    const open = confirmed();
    const failed = confirmed({ status: OPERATION_STATUS_FAILED });
    await record([open.event, failed.event, failed.settle(7n)]);
    expect([
      await transactions.find(open.agentId, open.operationId),
      await transactions.find(failed.agentId, failed.operationId),
    ]).toMatchObject([{ valueUsdMicros: undefined }, { valueUsdMicros: undefined }]);
  });

  it('ignores what another agent settles under the same ID', async () => {
    const operation = confirmed();
    const stranger = newId();
    await record([operation.event, operation.settle(3n)], [operation.settle(900n, 2, stranger)]);
    expect(await values(operation)).toBe(3n);
    const other = confirmed();
    await record([other.event, other.settle(3n), other.settle(900n, 2, stranger)]);
    expect(await values(other)).toBe(3n);
  });

  it.each([
    ['nothing came back', buyFacts(8_000_000n, 0n), 8_008_000n],
    ['a part came back to the wallet', buyFacts(8_000_000n, 6_000_000n), 2_002_000n],
    ['a part came back that leaves a fraction', buyFacts(3n, 1n), 5_338_667n],
    ['a part came back to the prediction balance', buyFacts(8_000_000n, 6_000_000n, true), 8_008_000n],
    ['the refund is not known', buyFacts(8_000_000n, undefined), 8_008_000n],
  ])('of an escrow is its share that is spent: %s', async (_, facts, expected) => {
    const bought = confirmed({ action: 'prediction_buy', facts });
    await record([bought.event, bought.settle(8_008_000n), bought.settle(0n, 3)]);
    expect(await values(bought)).toBe(expected);
  });

  it('is the same after a rebuild', async () => {
    const operation = confirmed();
    await record([operation.event, operation.settle(5n)], [operation.settle(6n, 2)]);
    const rebuild = (isDryRun: boolean) =>
      new RebuildHistory(new PostgresRebuildStore(store.history)).execute({
        isDryRun,
        isFresh: true,
        report: () => {},
      });
    expect(await rebuild(true)).toEqual([]);
    await store.rows('update settled_values set usd_micros = 1 where id = $1', operation.operationId);
    const problem = 'is not as in the log';
    expect(await rebuild(true)).toEqual([{ table: 'settled_values', row: operation.operationId, problem }]);
    await rebuild(false);
    expect(await values(operation)).toBe(11n);
  });
});
