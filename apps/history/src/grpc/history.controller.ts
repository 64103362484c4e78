import { historyV1 } from '@agent-wallet/contracts';
import { unpackIds } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { FollowAgents } from '../application/follow-agents.js';
import { GetProof } from '../application/get-proof.js';
import { GetTransaction } from '../application/get-transaction.js';
import { ListOperationStates } from '../application/list-operation-states.js';
import { ListTransactions } from '../application/list-transactions.js';
import { ListUnprocessableEvents } from '../application/list-unprocessable-events.js';
import { fromPlace, toChainedEvent, toChange, toCheckpoint, toPlace, toTransaction } from './messages.js';

/** History's gRPC surface. */
@Controller()
export class HistoryController implements GrpcController<historyV1.HistoryServiceService> {
  constructor(
    @Inject(ListTransactions) private readonly listing: ListTransactions,
    @Inject(GetTransaction) private readonly getting: GetTransaction,
    @Inject(GetProof) private readonly proving: GetProof,
    @Inject(FollowAgents) private readonly following: FollowAgents,
    @Inject(ListOperationStates) private readonly states: ListOperationStates,
    @Inject(ListUnprocessableEvents) private readonly unprocessable: ListUnprocessableEvents,
  ) {}

  async listTransactions(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse> {
    const { agentId, limit, offset, cursor, order } = request;
    const action = request.action || undefined;
    const isByChange = order === historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED;
    const page = await this.listing.execute({ agentId, action, limit, offset, cursor, isByChange });
    const { records, total, hasMore, nextCursor } = page;
    return { transactions: records.map(toTransaction), total: BigInt(total), hasMore, nextCursor };
  }

  async getTransaction(request: historyV1.GetTransactionRequest): Promise<historyV1.GetTransactionResponse> {
    return { transaction: toTransaction(await this.getting.execute(request.agentId, request.transactionId)) };
  }

  async getProof({ agentId, afterEventId, limit }: historyV1.GetProofRequest): Promise<historyV1.GetProofResponse> {
    const { events, checkpoint, hasMore } = await this.proving.execute(agentId, afterEventId, limit);
    return { events: events.map(toChainedEvent), checkpoint: checkpoint && toCheckpoint(checkpoint), hasMore };
  }

  async findChanges({ agentIds, after }: historyV1.FindChangesRequest): Promise<historyV1.FindChangesResponse> {
    const found = await this.following.find(agentIds, after && fromPlace(after));
    return {
      position: BigInt(found.position),
      latest: found.latest && toPlace(found.latest),
      changes: (found.changes ?? []).map(toChange),
      isTooFar: found.changes === undefined,
    };
  }

  async followChanges(request: historyV1.FollowChangesRequest): Promise<historyV1.FollowChangesResponse> {
    const { agentIds, afterPosition, untilPosition: until } = request;
    const untilPosition = until === undefined ? undefined : Number(until);
    const followed = await this.following.follow(unpackIds('agentIds', agentIds), Number(afterPosition), untilPosition);
    const { position, changes, hasMore } = followed;
    return { position: BigInt(position), changes: changes.map(toChange), hasMore };
  }

  async listOperationStates({
    operationIds,
  }: historyV1.ListOperationStatesRequest): Promise<historyV1.ListOperationStatesResponse> {
    return { operations: await this.states.execute(operationIds) };
  }

  async listUnprocessableEvents({
    limit,
  }: historyV1.ListUnprocessableEventsRequest): Promise<historyV1.ListUnprocessableEventsResponse> {
    const { events, total } = await this.unprocessable.execute(limit);
    const toMessage = ({ recordedAtMs, ...event }: (typeof events)[number]) => ({
      ...event,
      recordedAtMs: BigInt(recordedAtMs),
    });
    return { events: events.map(toMessage), total: BigInt(total) };
  }
}
