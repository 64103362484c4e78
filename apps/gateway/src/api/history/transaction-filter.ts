import type { historyV1 } from '@agent-wallet/contracts';
import { HISTORY_ACTIONS } from '@agent-wallet/events';
import { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';
import { addressText, optionalText, queryTime } from '../schemas/fields.js';

/* Filters of the records of history, as queries name them. */

/** Statuses of records that lists show, newest first. */
export const LISTED_STATUSES = [
  ...(['pending', 'awaiting_approval', 'submitted', 'confirmed', 'failed', 'expired'] as const),
  ...(['rejected_by_policy', 'rejected_by_owner', 'cancelled'] as const),
] as const;

const MAX_SEARCH_LENGTH = 64;

/** Fields of a query that choose records. */
export const filterFields = {
  action: z.enum(HISTORY_ACTIONS, `must be one of ${HISTORY_ACTIONS.join(', ')}`).optional(),
  from: queryTime('Created since.'),
  to: queryTime('Created before.'),
  status: z.enum(LISTED_STATUSES, `must be one of ${LISTED_STATUSES.join(', ')}`).optional(),
  recipient: addressText().optional(),
  search: optionalText(MAX_SEARCH_LENGTH, 'Words in memo, ticker, symbols.'),
};

/** A filter as a query names it, without the action. */
export interface NamedFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly status?: string | undefined;
  readonly recipient?: string | undefined;
  readonly search: string;
}

const NAMES = ['from', 'to', 'status', 'recipient', 'search'] as const;

/** Returns the first condition that a query names; undefined where it names none. */
export function findCondition(query: NamedFilter): (typeof NAMES)[number] | undefined {
  return NAMES.find((name) => query[name]);
}

/** Returns a filter as history takes it; undefined where a query names no condition. @throws AppError VALIDATION_ERROR */
export function toFilter(query: NamedFilter): historyV1.TransactionFilter | undefined {
  if (!findCondition(query)) return undefined;
  const { from, to, status = '', recipient = '', search } = query;
  const [fromMs, toMs] = [from, to].map((text) => (text === undefined ? undefined : BigInt(Date.parse(text))));
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw AppError.field('to', 'must be later than from');
  return { fromMs, toMs, status, recipient, search };
}
