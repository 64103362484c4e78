import type { historyV1 } from '@agent-wallet/contracts';
import { NAMED_TOKENS, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import type { IdempotencyRecord, OperationInput } from '../../ports/idempotency-store.js';
import { amountNumber, type ExactJson, isoTime, readJson, textNumber } from './exact-json.js';
import { metadataResponse, type PublishedFacts } from './transaction-metadata.js';

const PREDICTION = 'prediction_';
const USDC_MINT = NAMED_TOKENS.find(({ symbol }) => symbol === 'USDC')!.mint;

/** A record of history as specification 2.4 shows it. `to` is there where there is a recipient. */
export function transactionResponse(
  record: historyV1.Transaction,
  explorerUrl: (signature: string) => string,
): Record<string, ExactJson> {
  const { action, amount, decimals } = record;
  const facts = JSON.parse(record.metadataJson || '{}') as PublishedFacts;
  return {
    id: record.id,
    action,
    asset: record.asset || null,
    mint: mintOf(action, facts),
    decimals: amount === undefined ? null : decimals,
    amount: amount === undefined ? null : amountNumber(amount, decimals),
    amountRaw: amount === undefined ? null : amount.toString(),
    ...(record.to ? { to: record.to } : {}),
    signature: record.signature || null,
    status: record.status,
    metadata: metadataResponse(facts, { ...record, explorerUrl }),
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.updatedAtMs),
  };
}

/** Null for the native coin, which a trade names by its wrapped mint. */
function mintOf(action: string, { mint, inputMint }: PublishedFacts): ExactJson {
  if (action.startsWith(PREDICTION)) return USDC_MINT;
  const named = action === 'trade' ? inputMint : mint;
  return typeof named === 'string' && named !== '' && named !== WRAPPED_SOL_MINT ? named : null;
}

/** What the request alone says of an operation, for a record that has not reached history yet. */
export function requestedTransaction(record: IdempotencyRecord): ExactJson {
  const { operationId: id, action, input, response } = record;
  const answered = response ? (readJson(response.dataJson) as Record<string, ExactJson>) : {};
  const metadata = metadataResponse(input, {
    ...{ id, action, decimals: 0, updatedAtMs: BigInt(record.createdAtMs) },
    // What failed was answered already.
    explorerUrl: String,
  });
  const requested = input.amount ?? input.amountDollars;
  const amount = requested === undefined ? null : textNumber(String(requested));
  // Metadata has the names and units of the action's response. Only a withdrawal's has what was requested.
  const known: Record<string, ExactJson> = { amountDollars: amount, ...answered };
  for (const name of Object.keys(metadata)) metadata[name] = known[name] ?? metadata[name];
  if (response && response.statusCode >= 400)
    Object.assign(metadata, { error: answered, errorMessage: response.message });
  return {
    id,
    action,
    asset: assetOf(action, input),
    mint: action.startsWith(PREDICTION) ? USDC_MINT : (answered.mint ?? null),
    decimals: null,
    amount,
    amountRaw: answered.amountRaw ?? answered.inputAmountRaw ?? null,
    // `to` of a trade is a token; only transfers have a recipient.
    ...(input.to && action !== 'trade' ? { to: input.to } : {}),
    signature: answered.signature ?? (record.signature || null),
    status: statusOf(record, answered),
    metadata,
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.createdAtMs),
  };
}

function assetOf(action: string, { from, mint }: OperationInput): ExactJson {
  if (action.startsWith(PREDICTION)) return 'USDC';
  return (action === 'trade' ? from : mint) ?? 'SOL';
}

function statusOf({ state, response }: IdempotencyRecord, { code, reason }: Record<string, ExactJson>): string {
  if (!response) return state === 'submitted' ? 'submitted' : 'pending';
  if (response.statusCode === 200) return 'confirmed';
  switch (code) {
    case 'POLICY_VIOLATION':
      return 'rejected_by_policy';
    case 'APPROVAL_REJECTED':
      return (typeof reason === 'string' ? NOT_APPROVED[reason] : undefined) ?? 'rejected_by_policy';
    case 'TRANSACTION_EXPIRED':
    case 'APPROVAL_EXPIRED':
      return 'expired';
    default:
      return 'failed';
  }
}

/** The status of an operation by the reason why it was not approved; policy refused every other one. */
const NOT_APPROVED: Readonly<Record<string, string>> = { rejected: 'rejected_by_owner', withdrawn: 'cancelled' };
