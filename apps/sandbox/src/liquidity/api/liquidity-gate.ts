import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBoard } from '../../faults/fault-board.js';
import type { JsonReply, RequestHead } from '../../http/json-server.js';
import { ReplyLost } from '../../http/reply-lost.js';

/** The prefix of the API's paths: the venue has its own base URL. */
export const LIQUIDITY_PREFIX = '/raydium';

/** Whether a path belongs to the liquidity venue's API. */
export function isLiquidityPath(path: string): boolean {
  return path === LIQUIDITY_PREFIX || path.startsWith(`${LIQUIDITY_PREFIX}/`);
}

/** Builds an answer in the API's envelope. */
export function liquidityReply(data: unknown): JsonReply {
  return { body: { id: randomUUID(), success: true, data } };
}

/** Builds a refusal in the API's envelope. */
export function liquidityFailure(status: number, message: string): JsonReply {
  return { status, body: { id: randomUUID(), success: false, msg: message } };
}

/** Faults that keep a request from its route. */
export class LiquidityGate {
  constructor(private readonly faults: FaultBoard) {}

  /** Delays, refuses or never answers a request for which a fault is armed. */
  async admit({ method, path }: RequestHead): Promise<JsonReply | undefined> {
    const take = (fault: string) => this.faults.take('liquidity', fault, { byDefault: true, method, path });
    const delay = take('delay');
    if (delay) await sleep(delay.delayMs);
    const timeout = take('timeout');
    if (timeout) {
      await sleep(timeout.delayMs);
      throw new ReplyLost();
    }
    if (take('error429')) return liquidityFailure(429, 'Too many requests');
    return take('error500') && liquidityFailure(500, 'Internal server error');
  }
}
