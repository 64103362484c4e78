import { AppError } from '@agent-wallet/kernel';
import { JsonRpcError } from './json-rpc.js';
import { ShapeError } from './shapes.js';

const SLOT_SKIPPED = -32007;
const LONG_TERM_STORAGE_SLOT_SKIPPED = -32009;
const UNSUPPORTED_VERSION = -32015;
const REFUSALS = new Set([SLOT_SKIPPED, LONG_TERM_STORAGE_SLOT_SKIPPED, UNSUPPORTED_VERSION]);

/** A transaction that this service cannot decode. Found as the `cause` of the AppError. */
export class UnreadableTransaction extends ShapeError {
  constructor(
    message: string,
    /** Whether its version is neither legacy nor 0. */
    readonly isNewVersion: boolean,
  ) {
    super(message);
  }
}

/**
 * Reports whether a transaction could not be read because of its version. This service's transactions are legacy or
 * version 0.
 */
export function isUnsupportedVersion(error: unknown): boolean {
  const cause = causeOf(error);
  if (cause instanceof UnreadableTransaction) return cause.isNewVersion;
  return cause instanceof JsonRpcError && cause.code === UNSUPPORTED_VERSION;
}

/** Reports whether reading a transaction again soon fails again: the node refuses it, or its response is not decodable. */
export function isUnreadable(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof UnreadableTransaction || (cause instanceof JsonRpcError && REFUSALS.has(cause.code));
}

function causeOf(error: unknown): unknown {
  return error instanceof AppError ? error.cause : error;
}
