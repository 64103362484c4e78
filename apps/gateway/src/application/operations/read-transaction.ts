import type { historyV1 } from '@agent-wallet/contracts';
import { AppError, sleep } from '@agent-wallet/kernel';
import type { IdempotencyRecord, IdempotencyStore, OperationInput } from '../../ports/idempotency-store.js';
import type { HistoryService } from '../../ports/services.js';
import { amountNumber, type ExactJson, isoTime, readJson, textNumber } from '../responses/exact-json.js';

const HISTORY_LAG_MS = 2_000;
const POLL_MS = 100;

/**
 * One record of history. An operation is answered before its events have reached history: for one that we know of, we
 * wait a moment, and then say what we know ourselves.
 */
export class ReadTransaction {
  constructor(
    private readonly history: Pick<HistoryService, 'find'>,
    private readonly requests: Pick<IdempotencyStore, 'find'>,
    private readonly historyLagMs = HISTORY_LAG_MS,
  ) {}

  /** @throws AppError NOT_FOUND when the agent has no such record */
  async read(agentId: string, transactionId: string): Promise<ExactJson> {
    const waitUntilMs = performance.now() + this.historyLagMs;
    for (;;) {
      const record = await this.history.find(agentId, transactionId);
      if (record) return transactionResponse(record);
      const asked = await this.requests.find(agentId, transactionId);
      if (!asked) throw new AppError('NOT_FOUND', { message: 'There is no transaction of this id.' });
      if (performance.now() >= waitUntilMs) return transactionOf(asked);
      await sleep(POLL_MS);
    }
  }
}

/** A record of history as specification 2.4 shows it. `to` is there where there is a recipient. */
export function transactionResponse(record: historyV1.Transaction): ExactJson {
  return {
    id: record.id,
    action: record.action,
    asset: record.asset || null,
    amount: record.amount === undefined ? null : amountNumber(record.amount, record.decimals),
    amountRaw: record.amount === undefined ? null : record.amount.toString(),
    ...(record.to ? { to: record.to } : {}),
    signature: record.signature || null,
    status: record.status,
    metadata: readJson(record.metadataJson || '{}'),
    createdAt: isoTime(record.createdAtMs),
  };
}

/** What the request alone says: the same fields as history's record, without what only its owner knows. */
function transactionOf(record: IdempotencyRecord): ExactJson {
  const { action, input, response } = record;
  const amount = input.amount ?? input.amountDollars;
  const data = response ? (readJson(response.dataJson) as Record<string, ExactJson>) : {};
  return {
    id: record.operationId,
    action,
    asset: assetOf(action, input),
    amount: amount === undefined ? null : textNumber(String(amount)),
    amountRaw: data.amountRaw ?? data.inputAmountRaw ?? null,
    // `to` of a trade is a token; only transfers have a recipient.
    ...(input.to && action !== 'trade' ? { to: input.to } : {}),
    signature: data.signature ?? (record.signature || null),
    status: statusOf(record, data.code),
    metadata: {},
    createdAt: isoTime(record.createdAtMs),
  };
}

function assetOf(action: string, { from, mint }: OperationInput): ExactJson {
  if (action.startsWith('prediction_')) return 'USDC';
  return (action === 'trade' ? from : mint) ?? 'SOL';
}

function statusOf({ state, response }: IdempotencyRecord, errorCode: ExactJson): string {
  if (!response) return state === 'submitted' ? 'submitted' : 'pending';
  if (response.statusCode === 200) return 'confirmed';
  if (errorCode === 'POLICY_VIOLATION') return 'rejected_by_policy';
  return errorCode === 'TRANSACTION_EXPIRED' ? 'expired' : 'failed';
}
