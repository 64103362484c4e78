import {
  errorResponse,
  type ExecuteResponse,
  executeResponse,
  type ExecuteBody,
  type OrderResponse,
  orderResponse,
  shieldResponse,
} from '@agent-wallet/jupiter';
import { AppError, type Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { Aggregator, Execution, Inquiry, OrderQuery } from '../ports/aggregator.js';
import { type Caller, LONGEST_PAUSE_MS, type RequestBudget } from '../ports/request-budget.js';
import type { JupiterResponse, JupiterCall, JupiterHttp } from './jupiter-http.js';
import { JupiterWarnings, type WarningsByMint } from './jupiter-warnings.js';
import { WarningClaims } from './warning-claims.js';

/** Dependencies of the aggregator's client. */
interface JupiterAggregatorDependencies {
  readonly http: Pick<JupiterHttp, 'call'>;
  readonly budget: RequestBudget;
  readonly swapPath: '/swap/v2' | '/ultra/v1';
  /** Whether market makers that sign, too, may offer. */
  readonly allowsCosigned: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A shape that an answer must have. */
interface Shape<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false; error: unknown };
}

const BAD_REQUEST = 400;
const ORDER_TIMEOUT_MS = 8_000;
const SHIELD_TIMEOUT_MS = 5_000;
/** Landing takes 2 s where all is well; the aggregator's own advice is to wait this long. */
const EXECUTE_TIMEOUT_MS = 30_000;
/** As much as is logged of its words. */
const MAX_ERROR_LENGTH = 200;

/** The aggregator as it is asked over HTTP: Swap V2 or Ultra, which differ by their path alone. */
export class JupiterAggregator implements Aggregator {
  readonly #warnings: JupiterWarnings;
  readonly #claims: WarningClaims;

  constructor(private readonly dependencies: JupiterAggregatorDependencies) {
    this.#claims = new WarningClaims(dependencies.budget);
    this.#warnings = new JupiterWarnings(dependencies.clock, (mints) => this.#shield(mints));
  }

  inquire(caller: Caller): Inquiry {
    let holdsOrder = false;
    return {
      warnings: (mints) =>
        this.#warnings.read(mints, async (missing) => {
          holdsOrder = await this.#claims.take(caller, missing);
        }),
      order: async (question) => {
        if (!holdsOrder) await this.dependencies.budget.take({ ...caller, requests: 1 });
        holdsOrder = false;
        return this.#order(question);
      },
    };
  }

  async execute({ transaction, requestId, lastValidBlockHeight }: Execution): Promise<ExecuteResponse> {
    const { budget, swapPath } = this.dependencies;
    if (!(await budget.mayExecute())) throw resting();
    const body: ExecuteBody = {
      signedTransaction: Buffer.from(transaction).toString('base64'),
      requestId,
      ...(lastValidBlockHeight === undefined ? {} : { lastValidBlockHeight }),
    };
    const call = { path: `${swapPath}/execute`, body: JSON.stringify(body), timeoutMs: EXECUTE_TIMEOUT_MS };
    const answer = await this.dependencies.http.call(call);
    if (answer.pauseMs !== undefined) await budget.pause('execute', Math.min(answer.pauseMs, LONGEST_PAUSE_MS.execute));
    return this.#read(answer, executeResponse);
  }

  async #order(request: OrderQuery): Promise<OrderResponse> {
    const { swapPath, allowsCosigned } = this.dependencies;
    const query = new URLSearchParams({
      inputMint: request.inputMint,
      outputMint: request.outputMint,
      amount: request.amount.toString(),
      taker: request.taker,
      swapMode: 'ExactIn',
      slippageBps: request.slippageBps.toString(),
      ...(request.payer === undefined ? {} : { payer: request.payer }),
      // Routers whose programs this service cannot read.
      excludeRouters: allowsCosigned ? 'dflow,okx' : 'jupiterz,dflow,okx',
    });
    const answer = await this.#ask({ path: `${swapPath}/order?${query.toString()}`, timeoutMs: ORDER_TIMEOUT_MS });
    // What we ask is well-formed, so that a refusal says that there is no way from one token to the other.
    if (answer.status === BAD_REQUEST) throw new AppError('NO_ROUTE', { cause: this.#refusal(answer) });
    return this.#read(answer, orderResponse);
  }

  async #shield(mints: readonly string[]): Promise<WarningsByMint> {
    const path = `/ultra/v1/shield?mints=${mints.join(',')}`;
    const { warnings } = this.#read(await this.#ask({ path, timeoutMs: SHIELD_TIMEOUT_MS }), shieldResponse);
    return new Map(
      Object.entries(warnings).map(([mint, found]) => [mint, found.map(({ type, severity }) => ({ type, severity }))]),
    );
  }

  async #ask(call: JupiterCall): Promise<JupiterResponse> {
    const { budget, http } = this.dependencies;
    const answer = await http.call(call);
    if (answer.pauseMs === undefined) return answer;
    await budget.pause('ask', answer.pauseMs);
    throw resting();
  }

  #read<T>(answer: JupiterResponse, shape: Shape<T>): T {
    if (answer.status !== 200) throw new AppError('UPSTREAM_ERROR', { cause: this.#refusal(answer) });
    const parsed = shape.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    const { gatewayRequestId } = answer;
    const fields = { event: 'aggregator.response_unrecognized', gatewayRequestId, err: parsed.error } as const;
    this.dependencies.logger.warn(fields, 'Aggregator response does not match its schema');
    throw new AppError('UPSTREAM_ERROR', { cause: parsed.error });
  }

  /** Creates the error of a rejected request. The aggregator's message is for the log alone. */
  #refusal({ status, body, gatewayRequestId }: JupiterResponse): Error {
    const { success, data } = errorResponse.safeParse(body);
    const upstreamError = success ? data.error.slice(0, MAX_ERROR_LENGTH) : undefined;
    const fields = { status, gatewayRequestId, upstreamError };
    const { logger } = this.dependencies;
    // 400 is an answer: there is no route for what the caller wants.
    if (status === BAD_REQUEST)
      logger.info({ event: 'aggregator.route_rejected', ...fields }, 'Aggregator has no route');
    else logger.warn({ event: 'aggregator.request_rejected', ...fields }, 'Aggregator rejected the request');
    return new Error(`the aggregator answered with HTTP status ${status}`);
  }
}

function resting(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'The aggregator’s rate limit is reached. No funds moved. Try again in a minute.',
  });
}
