import { status } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RotatingChannel } from '../channel/rotating-channel.js';
import { nowMs } from '../clock.js';
import { CallError } from '../errors/call-error.js';
import { attempt, type Attempt } from './attempt.js';
import { type CallOptions, defaultTimeoutMs } from './call-options.js';
import { type MethodDefinition, type MethodSafety, safetyOf } from './definition.js';
import type { RetryBudget } from './retry-budget.js';
import { mayRetry, pauseMs, type RetryPolicy } from './retry-policy.js';

/** Dependencies shared by all calls of a connection. */
export interface Calling {
  readonly channel: RotatingChannel;
  readonly policy: RetryPolicy;
  readonly budget: RetryBudget;
  /** Further metadata of every call, such as the trace context. */
  readonly headers: () => Readonly<Record<string, string>>;
}

/** One method of a service. */
interface Method<Request, Response> {
  readonly name: string;
  readonly method: MethodDefinition<Request, Response>;
}

/** Makes a call, again where that is safe, within one deadline. @throws CallError */
export async function makeCall<Request extends object, Response>(
  calling: Calling,
  { name, method }: Method<Request, Response>,
  request: Request,
  { timeoutMs, signal, requestId }: CallOptions = {},
): Promise<Response> {
  if (calling.channel.isClosed) throw CallError.notMade(name, status.UNAVAILABLE, 'the connection is closed');
  if (signal?.aborted) throw CallError.notMade(name, status.CANCELLED, signal.reason);
  const safety = safetyOf(method);
  const deadlineMs = nowMs() + (timeoutMs ?? defaultTimeoutMs(safety, request));
  const headers = { ...calling.headers(), ...(requestId === undefined ? {} : { 'x-request-id': requestId }) };
  return tryAll(calling, { name, method, request, headers, deadlineMs, signal }, safety);
}

async function tryAll<Request, Response>(
  { channel, policy, budget }: Calling,
  call: Attempt<Request, Response>,
  safety: MethodSafety,
): Promise<Response> {
  let mayHaveHappened = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const response = await channel.use((client) => attempt(client, call));
      budget.succeeded();
      return response;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      mayHaveHappened ||= safety !== 'NO_SIDE_EFFECTS' && error.code === undefined && !error.neverProcessed;
      Object.assign(error, { attempts, mayHaveHappened });
      const pause = pauseMs(policy, attempts, error);
      const isLast = attempts >= policy.maxAttempts || channel.isClosed || nowMs() + pause >= call.deadlineMs;
      if (isLast || !mayRetry(safety, error) || !budget.take()) throw error;
      // A caller that gives up while nothing is under way gets the last answer.
      await sleep(pause, undefined, { signal: call.signal }).catch(() => undefined);
      if (call.signal?.aborted) throw error;
    }
  }
}
