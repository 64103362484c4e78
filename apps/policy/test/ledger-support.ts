import { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createHash, randomBytes } from 'node:crypto';
import type { Attempt, AttemptState } from '../src/domain/attempt.js';
import type { Policy } from '../src/domain/policy.js';
import { DEFAULT_POLICY } from '../src/domain/policy.js';
import type { Ledger, ReservationRequest } from '../src/ports/ledger.js';
import type { PolicyDatabase } from './database.js';

export const USD = 1_000_000n;
export const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
export const RECIPIENT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** An agent with a policy. */
export async function newAgent(database: PolicyDatabase, change: Partial<Policy> = {}): Promise<string> {
  const agentId = newId();
  const policy = { ...DEFAULT_POLICY, ...change };
  await database.rows(
    `insert into policies values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    agentId,
    policy.maxSingleTransactionUsdMicros,
    policy.dailyLimitUsdMicros,
    policy.allowedRecipients,
    policy.allowTrading,
    policy.allowLiquidityProvision,
    policy.allowPredictionMarkets,
    policy.sessionExpirationHours,
  );
  return agentId;
}

/** A request for a new operation, with what the test cares about. */
export function request(agentId: string, change: Partial<ReservationRequest> = {}): ReservationRequest {
  const intent: intentV1.Intent = { wallet: WALLET, action: undefined };
  return {
    operationId: newId(),
    step: 1,
    attempt: 1,
    agentId,
    intent: intentV1.Intent.encode(intent).finish(),
    messageHash: createHash('sha256').update(randomBytes(8)).digest(),
    recipient: RECIPIENT,
    valueUsdMicros: 10n * USD,
    ...change,
  };
}

/** Reserves a value and ends it with an outcome. */
export async function spend(
  ledger: Ledger,
  agentId: string,
  valueUsdMicros: bigint,
  outcome: Exclude<AttemptState, 'open'> = 'settled',
): Promise<void> {
  const asked = request(agentId, { valueUsdMicros });
  const decision = await ledger.authorize(asked);
  if (decision?.verdict !== 'granted') throw new Error(`not granted: ${decision?.verdict}`);
  await ledger.conclude((await ledger.find(asked)) as Attempt, outcome);
}
