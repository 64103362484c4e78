import type { historyV1 } from '@agent-wallet/contracts';
import { amountNumber, type ExactJson, isoTime, readJson } from './exact-json.js';

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
