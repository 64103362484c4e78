import { AppError, isErrorCode } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { type ExactJson, integerNumber } from '../../application/responses/exact-json.js';
import { failureResponse } from '../../application/responses/failure.js';
import { networkFee } from '../actions/outcome-records.js';
import { composed } from '../schemas/composed.js';
import { errorDataRecord } from '../schemas/error-records.js';
import { type DescribedRecord, type PublishedFacts, unitsOf } from './transaction-kind.js';

/** Returns a field of metadata that may be unknown. */
export const nullable = <T extends z.ZodType>(schema: T, description?: string) =>
  description === undefined ? schema.nullable() : schema.nullable().meta({ description });

/** Metadata of every operation that can fail. */
export const outcomeMetadata = z
  .strictObject({
    error: nullable(errorDataRecord, 'Why it was not done; null unless it failed.'),
    errorMessage: nullable(z.string(), 'The message of that error.'),
  })
  .meta({ id: 'OutcomeMetadata' });

/** Metadata of every operation of one transaction. */
export const chainMetadata = composed('ChainMetadata', [outcomeMetadata], {
  networkFeeLamports: nullable(networkFee()),
});

/** Returns the values of `chainMetadata`. */
export function chainOutcome(facts: PublishedFacts, record: DescribedRecord) {
  return {
    networkFeeLamports: orNull(unitsOf(facts['networkFeeLamports']), integerNumber),
    ...outcome(facts, record),
  };
}

/** An error as a service published it. */
interface PublishedError {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly details?: AppError['details'];
  readonly data?: AppError['data'];
}

/** Returns the values of `outcomeMetadata`: the error as its caller got it. */
export function outcome({ error }: PublishedFacts, { id, updatedAtMs, explorerUrl }: DescribedRecord) {
  if (error === undefined) return { error: null, errorMessage: null };
  const { code, message, requestId = id, details = [], data = {} } = error as PublishedError;
  const known = AppError.received(isErrorCode(code) ? code : 'INTERNAL_ERROR', { message, details, data });
  const response = failureResponse(known, { requestId, transactionId: id, nowMs: Number(updatedAtMs), explorerUrl });
  return { error: JSON.parse(response.dataJson) as ExactJson, errorMessage: response.message };
}
