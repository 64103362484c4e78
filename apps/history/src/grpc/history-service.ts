import { historyV1 } from '@agent-wallet/contracts';
import { unpackIds } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import type { HistoryUseCases } from '../dependencies.js';
import { fromPlace, toChainedEvent, toChange, toCheckpoint, toFilter, toPlace, toTransaction } from './messages.js';
import { toSpendingKey, toSpendingResponse } from './spending-messages.js';

/** Handles history's gRPC methods. */
export function historyService(useCases: HistoryUseCases): GrpcController<historyV1.HistoryServiceService> {
  const { listing, getting, spending, proving, following, states, unprocessable } = useCases;
  return {
    listTransactions: (request) => listTransactions(listing, request),
    getTransaction: async ({ agentId, transactionId }) => ({
      transaction: toTransaction(await getting.execute(agentId, transactionId)),
    }),
    sumSpending: async ({ agentId, fromMs, toMs, by }) => {
      const query = { agentId, fromMs: Number(fromMs), toMs: Number(toMs), by: toSpendingKey(by) };
      return toSpendingResponse(await spending.execute(query));
    },
    getProof: async ({ agentId, afterEventId, limit }) => {
      const { events, checkpoint, hasMore } = await proving.execute(agentId, afterEventId, limit);
      return { events: events.map(toChainedEvent), checkpoint: checkpoint && toCheckpoint(checkpoint), hasMore };
    },
    findChanges: async ({ agentIds, after }) => {
      const found = await following.find(agentIds, after && fromPlace(after));
      return {
        position: BigInt(found.position),
        latest: found.latest && toPlace(found.latest),
        changes: (found.changes ?? []).map(toChange),
        isTooFar: found.changes === undefined,
      };
    },
    followChanges: async ({ agentIds, afterPosition, untilPosition: until }) => {
      const untilPosition = until === undefined ? undefined : Number(until);
      const followed = await following.follow(unpackIds('agentIds', agentIds), Number(afterPosition), untilPosition);
      const { position, changes, hasMore } = followed;
      return { position: BigInt(position), changes: changes.map(toChange), hasMore };
    },
    listOperationStates: async ({ operationIds }) => ({ operations: await states.execute(operationIds) }),
    listUnprocessableEvents: async ({ limit }) => {
      const { events, total } = await unprocessable.execute(limit);
      const messages = events.map((event) => ({ ...event, recordedAtMs: BigInt(event.recordedAtMs) }));
      return { events: messages, total: BigInt(total) };
    },
  };
}

async function listTransactions(
  listing: HistoryUseCases['listing'],
  request: historyV1.ListTransactionsRequest,
): Promise<historyV1.ListTransactionsResponse> {
  const { agentId, limit, offset, cursor, order, filter } = request;
  const page = await listing.execute({
    ...{ agentId, limit, offset, cursor },
    action: request.action || undefined,
    isByChange: order === historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED,
    filter: filter && toFilter(filter),
  });
  const { records, total, isTotalPartial, ...rest } = page;
  const counted = { total: BigInt(total), isTotalPartial: isTotalPartial || undefined };
  return { transactions: records.map(toTransaction), ...counted, ...rest };
}
