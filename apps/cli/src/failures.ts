import { ApiError, ExpiredKeyError, NoAnswerError, OutcomeUnknownError, StillOpenError } from '@agent-wallet/sdk';
import { acceptedText, type FailureSource } from './context.js';
import { EXITS, type ExitName, exitOf, HomeError, NotLoggedInError, UnwrittenError } from './exit-codes.js';
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
export function reportFailure(error: unknown, output: Output, source: FailureSource): number {
  const exit = exitOf(error);
  const next = nextOf(error, exit, source);
  const record = recordOf(error);
  const isCode = error instanceof ApiError;
  output.failure({ ...record, profile: source.profile ?? null, ...detailsOf(error) }, [
    `aw: ${record.message}${isCode ? ` (${record.code})` : ''}`,
    ...Object.entries(detailsOf(error)).map(([name, value]) => `  ${name}: ${shown(value)}`),
    // Most messages end with the next step.
    ...(record.suggestion && !record.message.includes(record.suggestion) ? [`  ${record.suggestion}`] : []),
    ...(record.transactionId ? [`  transaction ${record.transactionId}`] : []),
    ...(source.profile && source.isNamed ? [`  profile ${source.profile}`] : []),
    ...(next ? [`  ${next}`] : []),
  ]);
  return EXITS[exit].code;
}

/** Returns the next step of the reader: that of the exit code, unless the failure says more. */
function nextOf(error: unknown, exit: ExitName, source: FailureSource): string | undefined {
  const isTokenWrong = error instanceof NotLoggedInError || (error instanceof ApiError && error.status === 401);
  if (isTokenWrong && source.env['AW_TOKEN']) {
    return 'The token is that of AW_TOKEN. Set it to a live token, or unset it to use the session of aw login.';
  }
  const cause = error instanceof OutcomeUnknownError ? error.cause : error;
  if (cause instanceof NoAnswerError && cause.isUnreachable) {
    const open = error === cause ? '' : ' The request is kept: aw resume.';
    return `Check the address, --api or AW_API, and that the service runs.${open}`;
  }
  if (error instanceof HomeError && FORBIDDEN.has((error.cause as NodeJS.ErrnoException | undefined)?.code)) {
    return 'This user may not write there. Name another folder with --home or AW_HOME.';
  }
  if (exit === 'login' && source.isNamed) return `Log in: aw login --profile ${source.profile}.`;
  return EXITS[exit].next;
}

/** Codes of a folder that may not be written, as opposed to a disk that is full. */
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

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
    const transactionId = error.operation.transactionId ?? null;
    return { ...plain, retry: 'same_key', transactionId };
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
