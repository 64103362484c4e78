import { policyV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { AttemptKey, AttemptState } from '../domain/attempt.js';
import { maxAllowedNowUsdMicros, remainingUsdMicros, type Standing } from '../domain/decision.js';
import type { Policy, PolicyChange } from '../domain/policy.js';
import type { Freeze, FreezeOrder } from '../ports/freezes.js';

const HASH_BYTES = 32;
/** Beyond any operation; keeps the numbers within the database's. */
const MAX_ORDINAL = 1_000_000;

/** @throws AppError VALIDATION_ERROR */
export function readUuid(field: string, text: string): string {
  assertUuid(field, text);
  return text.toLowerCase();
}

/** @throws AppError VALIDATION_ERROR */
export function readAttemptKey(request: AttemptKey): AttemptKey {
  return {
    operationId: readUuid('operationId', request.operationId),
    step: readOrdinal('step', request.step),
    attempt: readOrdinal('attempt', request.attempt),
  };
}

function readOrdinal(field: string, value: number): number {
  if (value < 1 || value > MAX_ORDINAL) throw AppError.field(field, `must be from 1 to ${MAX_ORDINAL}`);
  return value;
}

/** @throws AppError VALIDATION_ERROR */
export function readMessageHash(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== HASH_BYTES) throw AppError.field('messageHash', `must have ${HASH_BYTES} bytes`);
  return bytes;
}

/** The fields that a request sets. */
export function readPolicyChange(request: policyV1.UpdatePolicyRequest): PolicyChange {
  return {
    maxSingleTransactionUsdMicros: request.maxSingleTransactionUsdMicros,
    dailyLimitUsdMicros: request.dailyLimitUsdMicros,
    allowedRecipients: request.allowedRecipients?.addresses,
    allowTrading: request.allowTrading,
    allowLiquidityProvision: request.allowLiquidityProvision,
    allowPredictionMarkets: request.allowPredictionMarkets,
    sessionExpirationHours: request.sessionExpirationHours,
  };
}

/** What shall be frozen, or not. @throws AppError VALIDATION_ERROR */
export function readFreezeOrder({ agentId, ...order }: policyV1.SetFreezeRequest): FreezeOrder {
  return { ...order, agentId: agentId === '' ? undefined : readUuid('agentId', agentId) };
}

/** Freezes on the wire. */
export function freezesMessage(freezes: readonly Freeze[]): policyV1.ListFreezesResponse {
  return {
    freezes: freezes.map(({ agentId = '', sinceMs, ...freeze }) => ({ ...freeze, agentId, sinceMs: BigInt(sinceMs) })),
  };
}

/** A policy on the wire. */
export function policyMessage(policy: Policy): policyV1.Policy {
  return { ...policy, allowedRecipients: [...policy.allowedRecipients] };
}

/** Policy and usage at one instant, on the wire. */
export function usageMessage(standing: Standing): policyV1.GetUsageResponse {
  return {
    usedUsdMicros: standing.settledUsdMicros,
    reservedUsdMicros: standing.reservedUsdMicros,
    remainingTodayUsdMicros: remainingUsdMicros(standing),
    maxAllowedNowUsdMicros: maxAllowedNowUsdMicros(standing),
    windowStartsAtMs: BigInt(standing.windowStartsAtMs),
    resetsAtMs: BigInt(standing.resetsAtMs ?? 0),
  };
}

const OUTCOMES: Readonly<Record<AttemptState, policyV1.Outcome>> = {
  open: policyV1.Outcome.OUTCOME_OPEN,
  settled: policyV1.Outcome.OUTCOME_SETTLED,
  failed: policyV1.Outcome.OUTCOME_FAILED,
  dead: policyV1.Outcome.OUTCOME_DEAD,
};

/** An outcome on the wire. */
export function outcomeMessage(state: AttemptState): policyV1.SettleResponse {
  return { outcome: OUTCOMES[state] };
}
