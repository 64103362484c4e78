import { walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, type Facts } from '@agent-wallet/kernel';
import { factsOf } from './facts.js';
import type { Client, Reply } from './client.js';
import { BOUGHT, SOLD, WITHDRAWN } from './prediction-script.js';
import type { World } from './world.js';

/** What moves prediction money. */
export type Acting = 'buy' | 'sell' | 'withdraw';

/** What every request of an operation has. */
export interface Asked {
  readonly operationId: string;
  readonly agentId: string;
  readonly cancelIfNotStarted: boolean;
}

const SUBMITTED = walletV1.OperationState.OPERATION_STATE_SUBMITTED;

/** Answers about operations whose outcome is open. */
export const OPEN = {
  buy: { ...BOUGHT, state: SUBMITTED, order: undefined, signature: '', refundSignature: '' },
  sell: { ...SOLD, state: SUBMITTED, order: undefined, signature: '' },
  withdraw: { ...WITHDRAWN, state: SUBMITTED, signature: '' },
};

/** A request's body that is right. */
export const BODIES = {
  buy: { ticker: 'KXFED-26DEC-T4.00', side: 'yes', count: 10 },
  sell: { ticker: 'KXFED-26DEC-T4.00', side: 'yes', count: 10 },
  withdraw: { amountDollars: 1.13 },
};

/** Asks for an operation. */
export function act(client: Client, method: Acting, body: unknown = BODIES[method], key?: string): Promise<Reply> {
  return client.post(`/predictions/${method}`, body, key === undefined ? {} : { 'idempotency-key': key });
}

/** Lets the service answer an agent so, and says what it was asked. What earlier tests left open stays open. */
export function serviceDoes(
  world: World,
  agentId: string,
  method: Acting,
  answer: (request: Asked) => object | Promise<object>,
): Asked[] {
  const requests: Asked[] = [];
  const scripted = async (request: Asked) => {
    if (request.agentId !== agentId) return OPEN[method];
    requests.push(request);
    return answer(request);
  };
  Object.assign(world.script.prediction, { [method]: scripted });
  return requests;
}

/** An operation that fails. */
export function fails(code: ErrorCode, data: Facts = {}): () => never {
  return () => {
    throw AppError.received(code, { data: factsOf(code, data) });
  };
}
