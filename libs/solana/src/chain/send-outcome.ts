import { AppError } from '@agent-wallet/kernel';
import { JsonRpcError } from './json-rpc.js';
import type { SendOutcome } from './solana-chain.js';

const INVALID_PARAMS = -32602;
const SIGNATURE_VERIFICATION_FAILED = -32003;
const WRONG_SIGNATURE_COUNT = -32013;
const UNSUPPORTED_VERSION = -32015;
const PREFLIGHT_FAILED = -32002;

/** Makes an outcome of what sending threw. An error that is not clearly another kind is unknown. */
export function sendOutcomeOf(error: unknown): SendOutcome {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof JsonRpcError)) return { kind: 'unknown', cause };
  switch (cause.code) {
    case PREFLIGHT_FAILED:
      return preflightOutcome(cause);
    case INVALID_PARAMS:
    case SIGNATURE_VERIFICATION_FAILED:
    case WRONG_SIGNATURE_COUNT:
    case UNSUPPORTED_VERSION:
      return { kind: 'rejected', cause };
    default:
      return { kind: 'unknown', cause };
  }
}

function preflightOutcome(cause: JsonRpcError): SendOutcome {
  const data = cause.data;
  const reason = typeof data === 'object' && data !== null && 'err' in data ? data.err : undefined;
  if (reason === 'AlreadyProcessed' || /already been processed/i.test(cause.message))
    return { kind: 'already_processed' };
  if (reason === 'BlockhashNotFound' || /blockhash not found/i.test(cause.message))
    return { kind: 'blockhash_not_found' };
  return { kind: 'unknown', cause };
}
