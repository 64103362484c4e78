import { AppError, isErrorCode } from '@agent-wallet/kernel';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { type ExactJson, integerNumber } from '../../application/responses/exact-json.js';
import { failureResponse } from '../../application/responses/failure.js';
import { networkFee } from '../actions/outcome-records.js';
import { composed } from '../schemas/composed.js';
import { errorDataRecord } from '../schemas/error-records.js';

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

/** Names of the fields of `chainMetadata`, which every kind of record shows alike. */
export type OutcomeName = keyof (typeof chainMetadata)['shape'];

/** The outcome of an operation as its service published it. */
export interface PublishedOutcome {
  readonly id: string;
  readonly networkFeeLamports?: bigint | undefined;
  /** An error as its caller got it, as JSON; empty without one. */
  readonly errorJson: string;
  /** Unix milliseconds. */
  readonly updatedAtMs: bigint;
  readonly explorerUrl: (signature: string) => string;
}

interface PublishedError {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly details?: AppError['details'];
  readonly data?: AppError['data'];
}

/** Returns the values of `chainMetadata`: the network's fee, and the error as its caller got it. */
export function outcomeOf(published: PublishedOutcome): { readonly [Name in OutcomeName]: ExactJson } {
  const { id, networkFeeLamports, errorJson, updatedAtMs, explorerUrl } = published;
  const fee = { networkFeeLamports: orNull(networkFeeLamports, integerNumber) };
  if (errorJson === '') return { ...fee, error: null, errorMessage: null };
  const { code, message, requestId = id, details = [], data = {} } = JSON.parse(errorJson) as PublishedError;
  const known = AppError.received(isErrorCode(code) ? code : 'INTERNAL_ERROR', { message, details, data });
  const response = failureResponse(known, { requestId, transactionId: id, nowMs: Number(updatedAtMs), explorerUrl });
  return { ...fee, error: JSON.parse(response.dataJson) as ExactJson, errorMessage: response.message };
}
