import type { historyV1, operationsV1 } from '@agent-wallet/contracts';
import { HISTORY_ACTIONS, type HistoryActionName } from '@agent-wallet/events';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import {
  amountNumber,
  type ExactJson,
  isoTime,
  readJson,
  textNumber,
  usdNumber,
} from '../../application/responses/exact-json.js';
import type { IdempotencyRecord } from '../../ports/idempotency-store.js';
import { ACTIONS } from '../actions/actions.js';
import type { DefinedAction } from '../actions/define-action.js';
import { composed, openUnion } from '../schemas/composed.js';
import {
  address,
  baseUnits,
  decimals,
  growing,
  signature,
  time,
  tokenAmount,
  transactionId,
  url,
  usd,
} from '../schemas/units.js';
import { deposit, policyUpdate, settlement } from './other-kinds.js';
import { nullable } from './outcome.js';
import { LISTED_STATUSES } from './transaction-filter.js';
import { type AnyTransactionKind, showFacts } from './transaction-kind.js';

/* Records of history (specification 2.4). */

/** The kind of record of each action. */
const KINDS: Readonly<Record<HistoryActionName, AnyTransactionKind>> = {
  ...ACTIONS,
  deposit,
  prediction_settlement: settlement,
  policy_update: policyUpdate,
};

const NO_FACTS: operationsV1.OperationFacts = { action: undefined, errorJson: '' };

const KIND_BY_NAME: ReadonlyMap<string, AnyTransactionKind> = new Map(Object.entries(KINDS));

const ACTION_BY_NAME: ReadonlyMap<string, DefinedAction> = new Map(Object.entries(ACTIONS));

const transactionState = growing(
  'TransactionState',
  [...LISTED_STATUSES, 'dropped'],
  'Where a record of history stands. A `pending` deposit can be spent and is not final yet; of any other action, ' +
    '`pending` has not reached the chain. `cancelled`: the agent withdrew it before the owner had decided, or its order filled nothing. The chain has undone a `dropped` deposit; only `order=recorded` lists it.',
);

const transactionFields = z
  .strictObject({
    id: transactionId('`transactionId` of the operation.'),
    asset: nullable(z.string(), 'Symbol; null where there is none.'),
    mint: nullable(address(), 'Null for the native coin, without an asset, and until history has the record.'),
    decimals: nullable(decimals(), 'Null without an amount, and until history has the record.'),
    amount: nullable(tokenAmount()),
    amountRaw: nullable(baseUnits()),
    to: address('The recipient.').optional(),
    signature: nullable(signature()),
    explorerUrl: nullable(url(), 'Page of the transaction at a block explorer.'),
    valueUsd: nullable(usd(), 'As policy counted it.'),
    status: transactionState(),
    createdAt: time(),
    updatedAt: time('When it last changed.'),
  })
  .meta({ id: 'TransactionFields' });

/** Returns the schema of a record of one kind, whose metadata has the names and units of that action's response. */
function recordOf({ component, action, metadata }: AnyTransactionKind): z.ZodObject {
  return composed(`${component}Transaction`, [transactionFields], { action: z.literal(action), metadata });
}

const otherTransaction = composed('OtherTransaction', [transactionFields], {
  action: z.string(),
  metadata: z.record(z.string(), z.unknown().meta({ description: 'As that action has it.' })),
});

export const transactionRecord: z.ZodType<object> = openUnion(
  z
    .discriminatedUnion('action', HISTORY_ACTIONS.map((action) => recordOf(KINDS[action])) as never)
    .meta({ id: 'Transaction', description: 'A record of history. More actions may follow: `OtherTransaction`.' }),
  otherTransaction,
);

/** Shows a record. `to` is there where there is a recipient. */
export function showTransaction(
  record: historyV1.Transaction,
  explorerUrl: (signature: string) => string,
): Record<string, ExactJson> {
  const { amount, facts = NO_FACTS } = record;
  // An action of a younger release is not known here.
  const kind = KIND_BY_NAME.get(record.action);
  const { metadata, mint } = showFacts(kind, facts.action, { ...record, ...facts, explorerUrl });
  return {
    id: record.id,
    action: record.action,
    asset: record.asset || null,
    mint,
    decimals: amount === undefined ? null : record.decimals,
    amount: amount === undefined ? null : amountNumber(amount, record.decimals),
    amountRaw: amount === undefined ? null : amount.toString(),
    ...(record.to ? { to: record.to } : {}),
    signature: record.signature || null,
    explorerUrl: record.signature ? explorerUrl(record.signature) : null,
    valueUsd: orNull(record.valueUsdMicros, usdNumber),
    status: record.status,
    metadata,
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.updatedAtMs),
  };
}

/** Shows what the request alone says of an operation, while its record has not reached history. */
export function showRequest(request: IdempotencyRecord, explorerUrl: (signature: string) => string): ExactJson {
  const { operationId: id, input, response } = request;
  // A replica of a younger release may have accepted an action that is not known here.
  const action = ACTION_BY_NAME.get(request.action);
  const answered = response ? (readJson(response.dataJson) as Record<string, ExactJson>) : {};
  const createdAt = isoTime(request.createdAtMs);
  const sent = answered.signature ?? (request.signature || null);
  const { asset = null, amount: named, amountRaw, to, facts } = action?.requested(input) ?? {};
  const amount = named === undefined ? null : textNumber(named);
  // What failed was answered already, so that no link is made.
  const outcome = { id, errorJson: '', updatedAtMs: BigInt(request.createdAtMs), explorerUrl: String };
  const { metadata, mint } = showFacts(action, facts, outcome);
  // Metadata has the names and units of the action's response.
  for (const name of Object.keys(metadata)) metadata[name] = answered[name] ?? metadata[name];
  if (response && response.statusCode >= 400) {
    Object.assign(metadata, { error: answered, errorMessage: response.message });
  }
  return {
    id,
    action: request.action,
    asset,
    mint: answered.mint ?? mint,
    decimals: null,
    amount,
    amountRaw: answered.amountRaw ?? answered.inputAmountRaw ?? amountRaw ?? null,
    ...(to ? { to } : {}),
    signature: sent,
    explorerUrl: typeof sent === 'string' ? explorerUrl(sent) : null,
    valueUsd: null,
    status: statusOf(request, answered),
    metadata,
    createdAt,
    updatedAt: createdAt,
  };
}

function statusOf(
  { state, response }: IdempotencyRecord,
  { code, reason, transactionStatus }: Record<string, ExactJson>,
): string {
  if (!response) return state === 'submitted' ? 'submitted' : 'pending';
  if (response.statusCode === 200) return transactionStatus === 'cancelled' ? 'cancelled' : 'confirmed';
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
