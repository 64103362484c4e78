import { AppError, type Clock, type ErrorCode, newId, waitAtMost } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { createHash } from 'node:crypto';
import type { ApprovalUrl } from '../../domain/console-pages.js';
import {
  type ApiResponse,
  type IdempotencyRecord,
  type IdempotencyStore,
  inputText,
  type OperationInput,
} from '../../ports/idempotency-store.js';
import type { HistoryService } from '../../ports/services.js';
import type { TokensService } from '../../ports/tokens-service.js';
import { isoTime, writeJson } from '../responses/exact-json.js';
import { type Failing, failureResponse } from '../responses/failure.js';
import { evaluateDryRun } from './dry-run.js';
import type { FundingAdvice } from './funding-advice.js';
import {
  type Action,
  askOperation,
  type AwaitedApproval,
  type ExplorerUrl,
  type Operation,
  type OperationCommand,
} from './operation.js';

/** Dependencies of RunOperation. */
interface RunOperationDependencies {
  readonly requests: IdempotencyStore;
  readonly history: Pick<HistoryService, 'find'>;
  readonly tokens: Pick<TokensService, 'bind'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly explorerUrl: ExplorerUrl;
  readonly approvalUrl: ApprovalUrl;
  readonly funding: FundingAdvice;
  readonly respondWithinMs?: number | undefined;
}

type Idempotency = ApiResponse['idempotency'];

/** The gateway answers within 25 s; this is what the owning service may take of it. */
export const RESPOND_WITHIN_MS = 23_000;
/** Longest time that a response waits to be stored. It is right without it, too. */
const STORE_WITHIN_MS = 1_500;
const REPEAT_ASKS_MS = 2_500;

/** Refusals that come before the operation exists: the key stays free for the corrected request. */
const LEAVES_KEY_FREE: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'UNKNOWN_TOKEN', 'INVALID_ADDRESS']);

/**
 * Runs a command once: its key fixes an operation id, and everything that may be tried again is tried under that id.
 * A 5xx is answered only when nothing was sent or the owning service says that it failed; otherwise an unknown outcome
 * is `submitted`.
 */
export class RunOperation {
  constructor(private readonly dependencies: RunOperationDependencies) {}

  /** Runs the command, or evaluates it without effect where the caller wants that. */
  async run<Input extends OperationInput>(
    action: Action<Input>,
    command: OperationCommand<Input>,
  ): Promise<ApiResponse> {
    if (command.isDryRun) return this.#evaluate(action, command);
    const { requests, respondWithinMs = RESPOND_WITHIN_MS } = this.dependencies;
    const { agentId, input, key } = command;
    const endsAtMs = performance.now() + respondWithinMs - command.elapsedMs;
    const hash = requestHash(command);
    const stored = key === undefined ? undefined : await requests.stored(agentId, key);
    if (stored) {
      refuseMismatch(hash, stored);
      return respond(command, stored.response, 'cached');
    }
    const { record, isOurs } = await requests.claim({
      operationId: newId(),
      agentId,
      key,
      hash,
      action: action.name,
      input,
    });
    if (isOurs) return this.#drive(action, command, record, endsAtMs);
    refuseMismatch(hash, record);
    return this.#repeat(action, command, record);
  }

  async #evaluate<Input extends OperationInput>(action: Action<Input>, command: OperationCommand<Input>) {
    try {
      return await evaluateDryRun(action, command);
    } catch (error) {
      throw error instanceof AppError ? await this.dependencies.funding.adviseOn(error, command.agentId) : error;
    }
  }

  /** Runs a request whose claim is ours. */
  async #drive(
    action: Action,
    command: OperationCommand,
    claim: IdempotencyRecord,
    endsAtMs: number,
  ): Promise<ApiResponse> {
    const { operationId } = claim;
    const firstTime = claim.fence === 1;
    try {
      await action.assertReachable();
      await this.#bind(command, operationId);
    } catch (error) {
      if (firstTime && (await this.#release(claim))) throw error;
      return this.#respondOpen(command, { operationId, signature: '' }, 'fresh');
    }
    const call = { operationId, deadlineMs: endsAtMs - performance.now() };
    const operation = await this.#ask(action, command, call, firstTime);
    if (operation.state === 'failed' && LEAVES_KEY_FREE.has(operation.error.code)) {
      await this.#release(claim);
      throw operation.error;
    }
    return this.#settle(command, { operationId, operation }, 'fresh');
  }

  /** Responds to a request whose key another request has or had. */
  async #repeat(action: Action, command: OperationCommand, record: IdempotencyRecord): Promise<ApiResponse> {
    if (record.response) return respond(command, record.response, 'cached');
    if (record.state === 'claimed') throw new AppError('IDEMPOTENCY_IN_PROGRESS');
    const { operationId, signature } = record;
    await this.#bind(command, operationId);
    const asked = await this.#ask(action, command, { operationId, deadlineMs: REPEAT_ASKS_MS }, false);
    const operation = asked.state === 'submitted' && !asked.signature ? { ...asked, signature } : asked;
    return this.#settle(command, { operationId, operation }, 'cached');
  }

  /** Binds the operation to the caller's token in policy before it starts, so that the token's limits apply. */
  async #bind({ agentId, tokenId }: OperationCommand, operationId: string): Promise<void> {
    if (tokenId !== undefined) await this.dependencies.tokens.bind({ agentId, tokenId }, operationId);
  }

  /**
   * Asks the service for the operation. From here on something may have moved: no failure of the gateway may look like
   * "nothing happened".
   */
  async #ask(
    action: Action,
    command: OperationCommand,
    call: { readonly operationId: string; readonly deadlineMs: number },
    firstTime: boolean,
  ): Promise<Operation> {
    const { history, logger } = this.dependencies;
    try {
      return await askOperation(action, command, { ...call, cancelIfNotStarted: false }, { firstTime, history });
    } catch (err) {
      const { operationId } = call;
      logger.error(
        { event: 'operation.outcome_unknown', operationId, err },
        'Operation request failed; outcome unknown',
      );
      return { state: 'submitted', signature: '' };
    }
  }

  async #settle(
    command: OperationCommand,
    { operationId, operation }: { readonly operationId: string; readonly operation: Operation },
    idempotency: Idempotency,
  ): Promise<ApiResponse> {
    if (operation.state === 'submitted') {
      return this.#respondOpen(command, { operationId, signature: operation.signature }, idempotency);
    }
    if (operation.state === 'awaiting_approval') {
      await this.#store(this.dependencies.requests.submitted(operationId, ''), operationId);
      const response = awaitingResponse(operationId, operation.approval, this.dependencies.approvalUrl);
      return respond(command, response, idempotency);
    }
    const { clock, explorerUrl, funding } = this.dependencies;
    const failing = { requestId: command.requestId, nowMs: clock.nowMs(), transactionId: operationId, explorerUrl };
    const outcome =
      operation.state === 'failed'
        ? { ...operation, error: await funding.adviseOn(operation.error, command.agentId) }
        : operation;
    const response = finalResponse(outcome, failing);
    if (operation.state === 'failed' && response.statusCode >= 500) {
      this.dependencies.logger.warn(
        { event: 'operation.failed', operationId, err: operation.error },
        'Operation failed',
      );
    }
    await this.#store(this.dependencies.requests.finish(operationId, response), operationId);
    return respond(command, response, idempotency);
  }

  /** Returns 202: the outcome is open. */
  async #respondOpen(
    command: OperationCommand,
    { operationId, signature }: { readonly operationId: string; readonly signature: string },
    idempotency: Idempotency,
  ): Promise<ApiResponse> {
    const { requests, explorerUrl } = this.dependencies;
    await this.#store(requests.submitted(operationId, signature), operationId);
    const data = {
      status: 'submitted',
      transactionStatus: 'submitted',
      transactionId: operationId,
      signature: signature || null,
      explorerUrl: signature ? explorerUrl(signature) : null,
    };
    const message =
      'Submitted. The outcome is not known yet: read it from history, or repeat the request with the same key.';
    return respond(command, { statusCode: 202, message, dataJson: writeJson(data) }, idempotency);
  }

  async #release(claim: IdempotencyRecord): Promise<boolean> {
    try {
      return await this.dependencies.requests.release(claim);
    } catch (err) {
      // A claim alone starts nothing: it stays until the same key comes again, or the resolver ends it.
      const { operationId } = claim;
      this.dependencies.logger.warn(
        { event: 'idempotency_claim.release_failed', operationId, err },
        'Claim not released',
      );
      return true;
    }
  }

  /** Waits for a write of the record. The resolver or the next repeat makes up for one that fails. */
  async #store(written: Promise<void>, operationId: string): Promise<void> {
    const stored = written.catch((err: unknown) =>
      this.dependencies.logger.warn({ event: 'response.store_failed', operationId, err }, 'Response not stored'),
    );
    await waitAtMost(STORE_WITHIN_MS, stored);
  }
}

/**
 * Returns 202: the owner decides. Nothing is stored of it, as the service that owns the operation responds to a repeat
 * at once.
 */
function awaitingResponse(
  transactionId: string,
  { approvalId, expiresAtMs, reasons }: AwaitedApproval,
  approvalUrl: ApprovalUrl,
): ApiResponse {
  const data = {
    status: 'awaiting_approval',
    transactionStatus: 'awaiting_approval',
    transactionId,
    approvalId,
    approvalUrl: approvalUrl(approvalId),
    expiresAt: isoTime(expiresAtMs),
    reasons,
  };
  const message =
    'The owner must approve it. Nothing was sent. Ask the owner, then repeat the request with the same key.';
  return { statusCode: 202, message, dataJson: writeJson(data) };
}

/** Returns the final response of an operation. A failure names the operation, so that it can be found in history. */
export function finalResponse(
  operation: Extract<Operation, { readonly state: 'confirmed' | 'failed' }>,
  failing: Failing,
): ApiResponse {
  return operation.state === 'confirmed'
    ? { statusCode: 200, message: operation.message, dataJson: writeJson(operation.data) }
    : failureResponse(operation.error, failing);
}

/**
 * Returns the response to this request. A repeated success has the shape of specification 2.7; the rest stays as it
 * was.
 */
function respond(
  { key, prefersOriginal }: OperationCommand,
  response: ApiResponse,
  idempotency: Idempotency,
): ApiResponse {
  const shown = { ...response, idempotency: key === undefined ? undefined : idempotency };
  if (idempotency === 'fresh' || prefersOriginal || response.statusCode !== 200) return shown;
  return {
    ...shown,
    message: 'This request was already processed.',
    dataJson: `{"cached":true,"originalResponse":${response.dataJson}}`,
  };
}

/**
 * Tells a repeated key from a reused one: route, fields and scoped token. Amounts are canonical, so their spelling does not
 * matter.
 */
function requestHash({ route, input, tokenId }: OperationCommand): Buffer {
  return createHash('sha256')
    .update(`${route}\n${inputText(input)}${tokenId === undefined ? '' : `\n${tokenId}`}`)
    .digest();
}

function refuseMismatch(hash: Buffer, record: Pick<IdempotencyRecord, 'hash'>): void {
  if (!hash.equals(record.hash)) throw new AppError('IDEMPOTENCY_MISMATCH');
}
