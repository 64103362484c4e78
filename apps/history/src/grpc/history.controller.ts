import { historyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { Checkpoint } from '@agent-wallet/contracts/audit';
import { Controller, Inject } from '@nestjs/common';
import { GetProof } from '../application/get-proof.js';
import { GetTransaction } from '../application/get-transaction.js';
import { ListOperationStates } from '../application/list-operation-states.js';
import { ListTransactions } from '../application/list-transactions.js';
import type { LinkedEvent } from '../ports/event-chain.js';
import type { TransactionRecord } from '../domain/transaction-record.js';

/** History's gRPC surface. */
@Controller()
export class HistoryController implements GrpcController<historyV1.HistoryServiceService> {
  constructor(
    @Inject(ListTransactions) private readonly listing: ListTransactions,
    @Inject(GetTransaction) private readonly getting: GetTransaction,
    @Inject(GetProof) private readonly proving: GetProof,
    @Inject(ListOperationStates) private readonly states: ListOperationStates,
  ) {}

  async listTransactions(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse> {
    const { records, total } = await this.listing.execute({ ...request, action: request.action || undefined });
    return { transactions: records.map(toMessage), total: BigInt(total) };
  }

  async getTransaction(request: historyV1.GetTransactionRequest): Promise<historyV1.GetTransactionResponse> {
    return { transaction: toMessage(await this.getting.execute(request.agentId, request.transactionId)) };
  }

  async getProof({ agentId, afterEventId, limit }: historyV1.GetProofRequest): Promise<historyV1.GetProofResponse> {
    const { events, checkpoint, hasMore } = await this.proving.execute(agentId, afterEventId, limit);
    return { events: events.map(toChainedEvent), checkpoint: checkpoint && toCheckpoint(checkpoint), hasMore };
  }

  async listOperationStates({
    operationIds,
  }: historyV1.ListOperationStatesRequest): Promise<historyV1.ListOperationStatesResponse> {
    return { operations: await this.states.execute(operationIds) };
  }
}

function toChainedEvent({ sequence, payload, previousHash, hash, eventId }: LinkedEvent): historyV1.ChainedEvent {
  const [bytes, before, own] = [payload, previousHash, hash].map((each) => Buffer.from(each));
  return { eventId, sequence: BigInt(sequence), payload: bytes!, previousHash: before!, hash: own! };
}

function toCheckpoint({ size, rootHash, signature, keyId, signedAtMs }: Checkpoint): historyV1.Checkpoint {
  return {
    size: BigInt(size),
    rootHash: Buffer.from(rootHash),
    signature: Buffer.from(signature),
    keyId,
    signedAtMs: BigInt(signedAtMs),
  };
}

function toMessage({ recipient, createdAtMs, ...record }: TransactionRecord): historyV1.Transaction {
  return {
    id: record.id,
    action: record.action,
    asset: record.asset,
    amount: record.amount,
    decimals: record.decimals,
    to: recipient,
    signature: record.signature,
    status: record.status,
    metadataJson: record.metadataJson,
    createdAtMs: BigInt(createdAtMs),
  };
}
