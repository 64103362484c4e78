import { ApiError, ExpiredKeyError, OutcomeUnknownError, StillOpenError } from '@agent-wallet/sdk';
import { acceptedText } from './context.js';
import { EXITS, exitOf, UnwrittenError } from './exit-codes.js';
import type { Output } from './output.js';

/** A failure as scripts read it. */
interface FailureRecord {
  readonly code: string;
  readonly retry: string | null;
  readonly message: string;
  readonly suggestion: string | null;
  readonly transactionId: string | null;
}

/** Prints a failure on stderr. @returns the exit code */
export function reportFailure(error: unknown, output: Output): number {
  const exit = exitOf(error);
  const { next } = EXITS[exit];
  const record = recordOf(error);
  const isCode = error instanceof ApiError;
  output.failure({ ...record, ...detailsOf(error) }, [
    `aw: ${record.message}${isCode ? ` (${record.code})` : ''}`,
    ...Object.entries(detailsOf(error)).map(([name, value]) => `  ${name}: ${shown(value)}`),
    ...(record.suggestion ? [`  ${record.suggestion}`] : []),
    ...(record.transactionId ? [`  transaction ${record.transactionId}`] : []),
    ...(next ? [`  ${next}`] : []),
  ]);
  return EXITS[exit].code;
}

function recordOf(error: unknown): FailureRecord {
  const exit = exitOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError) {
    const { code, retry, suggestion, transactionId = null } = error;
    return { code, retry, message, suggestion, transactionId };
  }
  const plain = { code: exit.toUpperCase(), retry: null, message, suggestion: null, transactionId: null };
  if (error instanceof StillOpenError) {
    const { accepted, operation } = error;
    const suggestion = 'It goes on without this program.';
    const transactionId = operation.transactionId ?? null;
    return { ...plain, retry: 'same_key', message: acceptedText(accepted), suggestion, transactionId };
  }
  if (error instanceof ExpiredKeyError) {
    const { operation, transaction } = error;
    const { key, transactionId = null } = operation;
    const suggestion = transaction
      ? 'Nothing moved. Give the order again if you still want it.'
      : `Look it up: aw history. Then forget it: aw forget ${key}. Without a record there, give the order again.`;
    return { ...plain, retry: transaction ? 'new_key' : null, suggestion, transactionId };
  }
  if (error instanceof UnwrittenError && error.lost) {
    const { next: suggestion, repeatable, transactionId = null } = error.lost;
    return { ...plain, retry: repeatable ? 'same_key' : null, suggestion, transactionId };
  }
  if (error instanceof OutcomeUnknownError) {
    const cause = error.cause instanceof Error ? error.cause.message : '';
    const transactionId = error.operation.transactionId ?? null;
    return { ...plain, retry: 'same_key', message: `${error.message} ${cause}`.trim(), transactionId };
  }
  return plain;
}

/** Fields that every failure has, which are printed on their own or say nothing to people. */
const COMMON_FIELDS = new Set([
  'code',
  'message',
  'retry',
  'retryable',
  'suggestion',
  'transactionId',
  'requestId',
  'retryAt',
]);

/** Returns what the service says besides: the rule and the limit, the balance, the wrong fields. */
function detailsOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof ApiError)) return {};
  const entries = Object.entries(error.data).filter(([name, value]) => !COMMON_FIELDS.has(name) && value !== null);
  return Object.fromEntries(entries);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
