import { newId } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import {
  type Approval,
  hasPlace,
  MAX_PENDING,
  MAX_REQUESTS_A_DAY,
  type TakenPlaces,
  tooManyApprovals,
  tooManyRequests,
} from '../../domain/owners/approval.js';
import type { AskingSession, TermsOf } from '../../domain/owners/document.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import type { KnownWhenRequested, NewApproval } from '../../ports/approval-store.js';
import type { Registration } from '../../ports/passkey-verifier.js';

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
const NONCE_BYTES = 32;

/** The subject of a new approval, and its requester. */
export interface Wanted {
  readonly origin: string;
  readonly agentId?: string;
  readonly ownerId: string;
  readonly about: TermsOf;
  readonly registration?: Registration;
  /** The agent's session that asks, where one does. */
  readonly session?: AskingSession | undefined;
  /** Time in which it can be signed, where that is not the policy's lifetime of approvals. */
  readonly lifetimeMs?: number;
}

/**
 * Creates the request of a new approval from the state under the lock. All of `known.pending` count toward the cap: the
 * caller leaves out the requests of others.
 * @throws AppError POLICY_VIOLATION when too many are pending, or were requested in a day
 */
export function newApproval(known: KnownWhenRequested, wanted: Wanted): NewApproval {
  const pending = takenBy(wanted.session?.tokenId, known.pending);
  if (!hasPlace(pending, MAX_PENDING)) throw tooManyApprovals(pending);
  if (!hasPlace(known.requestsToday, MAX_REQUESTS_A_DAY)) throw tooManyRequests(known.requestsToday);
  const { approvalLifetimeHours } = known.policy ?? DEFAULT_POLICY;
  const {
    origin,
    agentId,
    ownerId,
    about,
    registration,
    session,
    lifetimeMs = approvalLifetimeHours * HOUR_MS,
  } = wanted;
  const request = {
    ...about,
    id: newId(),
    origin,
    agentId,
    ownerId,
    policyVersion: known.policy?.version,
    threshold: 1,
    askedAtMs: known.nowMs,
    expiresAtMs: known.nowMs + lifetimeMs,
    nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    session,
  };
  return registration ? { request, registration } : { request };
}

function takenBy(tokenId: string | undefined, pending: readonly Approval[]): TakenPlaces {
  const byToken = tokenId === undefined ? undefined : pending.filter((each) => each.tokenId === tokenId).length;
  return { all: pending.length, byToken };
}
