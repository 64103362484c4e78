import {
  type AgentPolicyChangeMessage,
  type PolicyChangeMessage,
  policyFieldsMessage,
  policyV1,
  readPolicyChange,
} from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import { MAX_REQUESTED_PRICES } from '@agent-wallet/prices';
import { isAddress } from '@agent-wallet/solana';
import type { AttemptKey, AttemptState } from '../domain/attempt.js';
import {
  APPROVAL_REQUIRED,
  type LimitUsage,
  limitUsdMicros,
  maxAllowedNowUsdMicros,
  leftUsdMicros,
} from '../domain/decision.js';
import type { PolicyChange, VersionedPolicy } from '../domain/policy.js';
import { SPENDING_KINDS, type SpendingKind } from '../domain/spending.js';
import type { AuthorizeInput } from '../application/permits/authorize.js';
import type { DryRunDecision } from '../application/permits/dry-run.js';
import type { RecoveryProgress } from '../application/recovery/manage-recovery.js';
import type { Freeze, FreezeCommand } from '../ports/freeze-store.js';
import type { Origin } from '../ports/policy-store.js';
import type { CountedTransaction, RecoveringWallet } from '../ports/recovery-store.js';

const HASH_BYTES = 32;
/** Beyond any operation; keeps the numbers within the database's. */
const MAX_ORDINAL = 1_000_000;

/** @throws AppError VALIDATION_ERROR */
export function readUuid(field: string, text: string): string {
  assertUuid(field, text);
  return text.toLowerCase();
}

/** @throws AppError VALIDATION_ERROR */
export function readMints(mints: readonly string[]): readonly string[] {
  if (mints.length > MAX_REQUESTED_PRICES)
    throw AppError.field('mints', `must have at most ${MAX_REQUESTED_PRICES} entries`, 'out_of_range');
  if (!mints.every(isAddress)) throw AppError.field('mints', 'must be Solana addresses', 'invalid_format');
  return mints;
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

/** Reads the input of an authorization. @throws AppError VALIDATION_ERROR */
export function readAuthorizeInput(request: policyV1.AuthorizeRequest): AuthorizeInput {
  return {
    ...readAttemptKey(request),
    agentId: readUuid('agentId', request.agentId),
    intent: request.intent,
    messageHash: readHash('messageHash', request.messageHash),
    message: request.message,
  };
}

function readHash(field: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length !== HASH_BYTES) throw AppError.field(field, `must have ${HASH_BYTES} bytes`);
  return bytes;
}

/** Reads the origin of an agent. @throws AppError VALIDATION_ERROR */
export function readOrigin({ namedOwnerId, mailboxId }: policyV1.CreatePolicyRequest): Origin {
  return {
    namedOwnerId: namedOwnerId === '' ? undefined : readUuid('namedOwnerId', namedOwnerId),
    mailboxId: mailboxId && readHash('mailboxId', mailboxId),
  };
}

/** Reads the fields that a request sets. @throws AppError VALIDATION_ERROR */
export function toPolicyChange(request: PolicyChangeMessage | AgentPolicyChangeMessage): PolicyChange {
  try {
    return readPolicyChange(request);
  } catch {
    throw AppError.field('newRecipients', 'must be allow, approve or deny');
  }
}

/** Converts a policy to its wire form. */
export function policyMessage(policy: VersionedPolicy): policyV1.Policy {
  return { ...policyFieldsMessage(policy), version: policy.version, claimed: policy.isClaimed };
}

/** Reads what to freeze or unfreeze. @throws AppError VALIDATION_ERROR */
export function readFreezeCommand({ agentId, ...order }: policyV1.SetFreezeRequest): FreezeCommand {
  return { ...order, agentId: agentId === '' ? undefined : readUuid('agentId', agentId) };
}

/** Returns freezes as they are on the wire. */
export function freezesMessage(freezes: readonly Freeze[]): policyV1.Freeze[] {
  return freezes.map(({ agentId = '', sinceMs, ...freeze }) => ({ ...freeze, agentId, sinceMs: BigInt(sinceMs) }));
}

/** Converts policy and usage at one instant to their wire form. */
export function usageMessage(usage: LimitUsage): policyV1.GetUsageResponse {
  return {
    settledUsdMicros: usage.settledUsdMicros,
    reservedUsdMicros: usage.reservedUsdMicros,
    remainingTodayUsdMicros: leftUsdMicros(usage),
    maxAllowedNowUsdMicros: maxAllowedNowUsdMicros(usage),
    windowStartsAtMs: BigInt(usage.windowStartsAtMs),
    resetsAtMs: BigInt(usage.resetsAtMs ?? 0),
  };
}

/** Returns the figures of a decision: where a limit of a token refuses, those of that limit, as the refusal has them. */
function figuresOf(decision: DryRunDecision): policyV1.GetUsageResponse {
  const usage = usageMessage(decision);
  const { limitUsdMicros: limit, usedUsdMicros: used = 0n } = decision.grantLimit ?? {};
  if (limit === undefined) return usage;
  const remainingTodayUsdMicros = limit > used ? limit - used : 0n;
  return { ...usage, settledUsdMicros: used, reservedUsdMicros: 0n, remainingTodayUsdMicros, resetsAtMs: 0n };
}

/** Converts a dry-run decision to its wire form. */
export function dryRunMessage(decision: DryRunDecision): policyV1.DryRunAuthorizeResponse {
  const isToBeApproved = decision.verdict === APPROVAL_REQUIRED;
  const allowed = decision.verdict === 'granted' || isToBeApproved;
  return {
    allowed,
    rule: allowed ? '' : decision.verdict,
    valueUsdMicros: decision.valueUsdMicros,
    usage: figuresOf(decision),
    limitUsdMicros: limitUsdMicros(decision),
    approval: isToBeApproved ? { reasons: [...decision.approvalReasons] } : undefined,
    maxAmountNow: decision.passing && { ...decision.passing },
    trade: decision.trade && { ...decision.trade, maxLossBps: decision.maxLossBps },
  };
}

type NamedSpending = Exclude<keyof typeof policyV1.Spending, 'SPENDING_UNSPECIFIED' | 'UNRECOGNIZED'>;

/** Names a kind of spending as the contract does. A kind that only one of the two has does not compile. */
function contractName(kind: SpendingKind) {
  return `SPENDING_${kind.toUpperCase() as Uppercase<SpendingKind>}` as const;
}
true satisfies [NamedSpending] extends [ReturnType<typeof contractName>] ? true : never;

/** Reads a kind of spending. @throws AppError VALIDATION_ERROR */
export function readSpending(spending: policyV1.Spending): SpendingKind {
  const kind = SPENDING_KINDS.find((name) => policyV1.Spending[contractName(name)] === spending);
  if (!kind) throw AppError.field('spending', 'must be a kind of spending');
  return kind;
}

const OUTCOMES: Readonly<Record<AttemptState, policyV1.Outcome>> = {
  open: policyV1.Outcome.OUTCOME_OPEN,
  settled: policyV1.Outcome.OUTCOME_SETTLED,
  failed: policyV1.Outcome.OUTCOME_FAILED,
  expired: policyV1.Outcome.OUTCOME_EXPIRED,
};

/** Converts an outcome to its wire form. */
export function outcomeMessage(state: AttemptState): policyV1.SettleResponse {
  return { outcome: OUTCOMES[state] };
}

/** Wallets that are to be read. @throws AppError VALIDATION_ERROR */
export function readWallets(wallets: policyV1.ReportWalletsRequest['wallets']): RecoveringWallet[] {
  return wallets.map(({ agentId, address }) => ({ agentId: readUuid('wallets.agentId', agentId), address }));
}

/** Converts the progress of a recovery to its wire form. */
export function recoveryMessage(progress: RecoveryProgress): policyV1.GetRecoveryResponse {
  const { blocksRemaining } = progress;
  return {
    inProgress: progress.isRecovering,
    recoveryId: progress.id,
    reason: progress.reason,
    startedAtMs: BigInt(progress.startedAtMs),
    endedAtMs: BigInt(progress.endedAtMs ?? 0),
    blocksRemaining: blocksRemaining === undefined ? undefined : BigInt(blocksRemaining),
    walletsReported: progress.areWalletsReported,
    walletCount: progress.walletCount,
    walletsRead: progress.readCount,
    frozenAgentIds: [...progress.heldAgents],
    treasuryFrozen: progress.isTreasuryHeld,
  };
}

/** Converts forgotten transactions, as they were counted, to their wire form. */
export function recoveredMessage(counted: readonly CountedTransaction[]): policyV1.ListRecoveredResponse {
  const transactions = counted.map(({ slot, landedAtMs, agentId = '', isFrozen, ...transaction }) => ({
    ...transaction,
    agentId,
    slot: BigInt(slot),
    landedAtMs: BigInt(landedAtMs ?? 0),
    frozen: isFrozen,
  }));
  return { transactions };
}
