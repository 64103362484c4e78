import { AppError } from '@agent-wallet/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import type { NumberText } from '../../domain/request-hash.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { KeptRequest, RequestStore } from '../../ports/request-store.js';
import { type ExactJson, isoTime, readJson, textNumber } from '../answers/exact-json.js';
import { transactionAnswer } from '../answers/transaction-answer.js';

const HISTORY_LAG_MS = 2_000;
const POLL_MS = 100;

/**
 * One record of history. An operation is answered before its events have reached history: for one that we know of, we
 * wait a moment, and then say what we know ourselves.
 */
export class ReadTransaction {
  constructor(
    private readonly history: Pick<HistoryService, 'find'>,
    private readonly requests: Pick<RequestStore, 'find'>,
  ) {}

  /** @throws AppError NOT_FOUND when the agent has no such record */
  async read(agentId: string, transactionId: string): Promise<ExactJson> {
    const waitUntilMs = performance.now() + HISTORY_LAG_MS;
    for (;;) {
      const record = await this.history.find(agentId, transactionId);
      if (record) return transactionAnswer(record);
      const kept = await this.requests.find(agentId, transactionId);
      if (!kept) throw new AppError('NOT_FOUND', { message: 'There is no transaction of this id.' });
      if (performance.now() >= waitUntilMs) return recordOf(kept);
      await pause(POLL_MS);
    }
  }
}

/** The fields of an input that a record shows. */
interface KnownInput {
  readonly from?: string;
  readonly to?: string;
  readonly mint?: string;
  readonly amount?: NumberText;
  readonly amountDollars?: NumberText;
}

/** What the request alone tells: the same fields as a record, without what only its owner knows. */
function recordOf(kept: KeptRequest): ExactJson {
  const input = JSON.parse(kept.inputJson) as KnownInput;
  const amount = input.amount ?? input.amountDollars;
  const answer = kept.answer ? (readJson(kept.answer.dataJson) as Record<string, ExactJson>) : {};
  return {
    id: kept.operationId,
    action: kept.action,
    asset: assetOf(kept.action, input),
    amount: amount ? textNumber(amount.numberText) : null,
    amountRaw: answer.amountRaw ?? answer.inputAmountRaw ?? null,
    // What a trade is to is a token; nobody else gets it.
    ...(input.to && kept.action !== 'trade' ? { to: input.to } : {}),
    signature: answer.signature ?? (kept.signature || null),
    status: statusOf(kept, answer.code),
    metadata: {},
    createdAt: isoTime(kept.createdAtMs),
  };
}

function assetOf(action: string, { from, mint }: KnownInput): string {
  if (action.startsWith('prediction_')) return 'USDC';
  return (action === 'trade' ? from : mint) ?? 'SOL';
}

function statusOf(kept: KeptRequest, errorCode: ExactJson): string {
  if (!kept.answer) return kept.state === 'submitted' ? 'submitted' : 'pending';
  if (kept.answer.statusCode === 200) return 'confirmed';
  if (errorCode === 'POLICY_VIOLATION') return 'rejected_by_policy';
  return errorCode === 'TRANSACTION_EXPIRED' ? 'expired' : 'failed';
}
