import { walletV1 } from '@agent-wallet/contracts';
import { AppError, errorEntry, sleep } from '@agent-wallet/kernel';
import type { OperationInput } from '../../ports/idempotency-store.js';
import { type HistoryService, OutcomeUnknown } from '../../ports/services.js';
import type { ExactJson } from '../responses/exact-json.js';

/** A caller's command: the checked input of an action, and the fields that make the request safe to repeat. */
export interface OperationCommand<Input extends OperationInput = OperationInput> {
  readonly agentId: string;
  /** The scoped token that asks; undefined for the agent's own sessions. */
  readonly tokenId?: string | undefined;
  readonly input: Input;
  /** Method and path: an idempotency key belongs to one route. */
  readonly route: string;
  /** The caller's idempotency key, if it sent one. */
  readonly key?: string | undefined;
  readonly requestId: string;
  /** Time that this request has taken already. */
  readonly elapsedMs: number;
  /** Whether the command is evaluated without effect; the key is then ignored. */
  readonly isDryRun: boolean;
  /** Whether a repeat gets the first response as it was, instead of the shape of specification 2.7. */
  readonly prefersOriginal?: boolean;
}

/** The part of a command that is stored with its idempotency record: enough to ask for the operation again. */
export type Commanded<Input extends OperationInput = OperationInput> = Pick<
  OperationCommand<Input>,
  'agentId' | 'input'
>;

/** A call to the owning service, which carries out an operation or returns its outcome. */
export interface OperationCall {
  readonly operationId: string;
  /** Longest time that the service may wait for the outcome. */
  readonly waitMs: number;
  /** Longest time to wait for the service. */
  readonly deadlineMs: number;
  /** Whether an operation that has not begun never may: it ends as TRANSACTION_EXPIRED. */
  readonly cancelIfNotStarted: boolean;
}

/** The owner's approval for which an operation waits. */
export interface AwaitedApproval {
  readonly approvalId: string;
  /** Until when it can be used, in Unix milliseconds. */
  readonly expiresAtMs: bigint;
  readonly reasons: readonly string[];
}

/** An operation as its caller may know it: its outcome is open, an owner decides, it landed, or it definitely failed. */
export type Operation =
  | { readonly state: 'awaiting_approval'; readonly approval: AwaitedApproval }
  | { readonly state: 'submitted'; readonly signature: string }
  | { readonly state: 'confirmed'; readonly message: string; readonly data: ExactJson }
  | { readonly state: 'failed'; readonly error: AppError };

/** One action of the public API that moves money: its input, its call and its response. */
export interface Action<Input extends OperationInput = OperationInput> {
  /** As history names it. */
  readonly name: string;
  /** @throws AppError when the owning service cannot be reached: nothing was sent */
  assertReachable(): Promise<void>;
  /** @throws AppError when the operation failed, OutcomeUnknown when there was no answer */
  perform(command: Commanded<Input>, call: OperationCall): Promise<Operation>;
  /**
   * Evaluates a command without effect: the fields of a confirmed response that are known before, and what policy and
   * chain would say.
   * @throws AppError as perform would, except for a refusal by policy
   */
  dryRun(
    command: Commanded<Input>,
  ): Promise<{ readonly data: Readonly<Record<string, ExactJson>>; readonly dryRun: walletV1.DryRun }>;
}

/** The answer of a service that owns an operation. */
export interface Answered {
  readonly state: walletV1.OperationState;
  readonly signature: string;
  readonly approval?: walletV1.AwaitedApproval | undefined;
}

/**
 * Returns the operation from the response of the service that owns it.
 * @param confirmed what the caller gets once it has landed
 * @throws OutcomeUnknown for a state that says nothing
 */
export function operationOf(
  { state, signature, approval }: Answered,
  confirmed: { readonly message: () => string; readonly data: () => ExactJson },
): Operation {
  switch (state) {
    case walletV1.OperationState.OPERATION_STATE_CONFIRMED:
      return { state: 'confirmed', message: confirmed.message(), data: readable(confirmed.data) };
    case walletV1.OperationState.OPERATION_STATE_SUBMITTED:
      return { state: 'submitted', signature };
    case walletV1.OperationState.OPERATION_STATE_AWAITING_APPROVAL:
      if (approval) return { state: 'awaiting_approval', approval };
      throw new OutcomeUnknown(new Error('the service named no approval'));
    default:
      throw new OutcomeUnknown(new Error(`the service answered with state ${state}`));
  }
}

/**
 * Returns data to show. A response that cannot be shown says nothing of the operation's end, least of all that it
 * failed.
 */
function readable(data: () => ExactJson): ExactJson {
  try {
    return data();
  } catch (error) {
    throw new OutcomeUnknown(error);
  }
}

/** Link to a transaction by its signature. */
export type ExplorerUrl = (signature: string) => string;

/** Links of a template, in which `{signature}` is replaced. */
export function explorerUrls(template: string): ExplorerUrl {
  return (signature) => template.replaceAll('{signature}', signature);
}

const LONGEST_WAIT_MS = 20_000;
/** Less than this is not worth another call. */
const SHORTEST_CALL_MS = 500;
/** Time that a call may take beyond the wait it requests. */
const CALL_OVERHEAD_MS = 1_500;
const PAUSE_MS = 250;

/** Conditions of asking for an operation. */
interface Asking {
  /** Whether the owning service has never been asked for this operation before. */
  readonly firstTime: boolean;
  readonly history: Pick<HistoryService, 'find'>;
}

/**
 * Asks for an operation until there is an answer or the time is up. Asking again is safe: the operation id is the same.
 * No answer in time means `submitted`: it may have happened, or may still happen.
 * @param call.deadlineMs all the time there is
 */
export async function askOperation(
  action: Action,
  command: Commanded,
  call: Omit<OperationCall, 'waitMs'>,
  { firstTime, history }: Asking,
): Promise<Operation> {
  const endsAtMs = performance.now() + call.deadlineMs;
  for (let first = firstTime; ; first = false) {
    const leftMs = Math.max(endsAtMs - performance.now(), SHORTEST_CALL_MS);
    const waitMs = Math.round(Math.max(Math.min(LONGEST_WAIT_MS, leftMs - CALL_OVERHEAD_MS), 0));
    try {
      return await action.perform(command, { ...call, waitMs, deadlineMs: leftMs });
    } catch (error) {
      if (error instanceof AppError && (first || (await isDefinite(error, command.agentId, call, history)))) {
        return { state: 'failed', error };
      }
      if (!(error instanceof AppError) && !(error instanceof OutcomeUnknown)) throw error;
    }
    if (endsAtMs - performance.now() < PAUSE_MS + SHORTEST_CALL_MS) return { state: 'submitted', signature: '' };
    await sleep(PAUSE_MS);
  }
}

/**
 * Reports whether a later error is about the operation, as a first one always is. It may be about the service:
 * "unavailable" then does not say that nothing moved, unless history knows the operation as failed.
 */
async function isDefinite(
  error: AppError,
  agentId: string,
  { operationId }: Pick<OperationCall, 'operationId'>,
  history: Pick<HistoryService, 'find'>,
): Promise<boolean> {
  if (errorEntry(error.code).http < 500 || error.code === 'TRANSACTION_EXPIRED') return true;
  const record = await history.find(agentId, operationId).catch(() => undefined);
  return record?.status === 'failed' || record?.status === 'expired';
}
