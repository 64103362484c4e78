import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import { factsOf } from './facts.js';
import { RECIPIENT, SUBMITTED } from './default-script.js';
import { RATE_LIMITS, type World } from './world.js';

/** A transfer's body. */
export const BODY = { to: RECIPIENT, amount: 64.1, mint: 'USDC' };

/** What the wallet does with a transfer. */
export type Transfer = (request: walletV1.TransferRequest) => Promise<walletV1.TransferResponse>;

/** Lets the wallet answer these agents so, and says what it was asked. What earlier tests left open stays open. */
export function walletDoes(world: World, agents: readonly string[], transfer: Transfer): walletV1.TransferRequest[] {
  const asked: walletV1.TransferRequest[] = [];
  world.script.wallet.transfer = async (request: walletV1.TransferRequest) => {
    if (!agents.includes(request.agentId)) return SUBMITTED;
    asked.push(request);
    return transfer(request);
  };
  return asked;
}

/** When a gateway looks for the first time at what it answered with 202. */
export const FIRST_POLL_MS = 2_000;

/** The timing of a gateway that looks at once at what has become due. */
export const POLLS_OFTEN = { resolveEveryMs: 100 };

/** A transfer that fails. */
export function fails(code: ErrorCode, options: Parameters<typeof AppError.received>[1] = {}): Transfer {
  return async () => {
    throw AppError.received(code, { ...options, data: factsOf(code, options.data) });
  };
}

/** Limits that are in no test's way. */
export const GENEROUS = { ...RATE_LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000, otpsPerTenMinutes: 100 };
