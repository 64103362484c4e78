import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, formatAmount, newId, USD_DECIMALS } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import { APPROVAL_REQUIRED, type Decision, type Grant, isRefusal } from '../../domain/decision.js';
import { type Approval, hasPlace, MAX_PENDING_OPERATIONS, tooManyApprovals } from '../../domain/owners/approval.js';
import { type ApprovalRequest, type AskingSession, operationOf } from '../../domain/owners/document.js';
import type { KnownOfSpending, OperationApprovalStore } from '../../ports/operation-approval-store.js';
import type { ReservationRequest, ReservationStore } from '../../ports/reservation-store.js';
import type { SwapTerms } from '../../domain/swap-terms.js';
import { configured, type OwnerConsole } from '../owners/owner-console.js';
import { type ApprovedIntent, isApprovable, isWithinTerms, signedTerms } from './operation-terms.js';

const HOUR_MS = 3_600_000;
const NONCE_BYTES = 32;

type Answer = Grant | Decision | undefined;

/** An intent, and the agent's session that asks for it, where that is known. */
export interface Asked {
  readonly intent: intentV1.Intent;
  readonly session?: AskingSession | undefined;
}

/** Reserves, and asks an owner first where the policy says so. */
export class SeekApproval {
  constructor(
    private readonly reservations: Pick<ReservationStore, 'reserve'>,
    private readonly approvals: OperationApprovalStore,
    private readonly console: OwnerConsole | undefined,
    private readonly swaps: Pick<SwapTerms, 'maxNetworkLamports'>,
  ) {}

  /**
   * Decides on a request. If only an owner's approval is missing, it requests that approval, once for an operation, and
   * reserves nothing. A signed approval is used together with the reservation; only its trust could have changed, so
   * it is compared with the intent before. A refusal voids the approval.
   * @throws AppError APPROVAL_REQUIRED, APPROVAL_REJECTED, APPROVAL_EXPIRED, PERMIT_CONFLICT for an intent that does not fit
   *   the document, POLICY_VIOLATION when too many are pending, OWNERS_NOT_CONFIGURED
   */
  async reserve(request: ReservationRequest, asked: Asked): Promise<Answer> {
    const decision = await this.reservations.reserve(request);
    const final = decision?.verdict === APPROVAL_REQUIRED ? await this.#withApproval(request, asked) : decision;
    if (final && isRefusal(final.verdict)) await this.approvals.void(request.agentId, request.operationId);
    return final;
  }

  async #withApproval(request: ReservationRequest, { intent, session }: Asked): Promise<Answer> {
    const { wallet, action } = intent;
    if (!isApprovable(action)) throw new Error(`an owner approves no ${action?.$case}`);
    const { operationId, agentId } = request;
    const asked: ApprovedIntent = { operationId, wallet, action };
    const approval =
      (await this.approvals.find(agentId, operationId)) ?? (await this.#request(request, asked, session));
    // The policy was loosened meanwhile.
    if (!approval) return this.reservations.reserve(request);
    if (!isWithinTerms(approval.document, asked)) {
      throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_terms' } });
    }
    if (approval.state !== 'approved' && approval.state !== 'used') throw answerOf(approval);
    const decision = await this.reservations.reserve({ ...request, approvalId: approval.id });
    if (decision?.verdict !== APPROVAL_REQUIRED) return decision;
    // The signer is no longer an owner, or it was closed meanwhile.
    await this.approvals.void(agentId, operationId);
    throw answerOf((await this.approvals.find(agentId, operationId))!);
  }

  #request(
    request: ReservationRequest,
    asked: ApprovedIntent,
    session: AskingSession | undefined,
  ): Promise<Approval | undefined> {
    const { origin } = configured(this.console);
    const { agentId } = request;
    const { maxNetworkLamports } = this.swaps;
    const valueUsdMicros = request.valueUsdMicros!;
    return this.approvals.request(request, (known) =>
      newOperationApproval({ known, origin, agentId, asked, session, valueUsdMicros, maxNetworkLamports }),
    );
  }
}

interface Wanted {
  readonly known: KnownOfSpending;
  readonly origin: string;
  readonly agentId: string;
  readonly asked: ApprovedIntent;
  readonly session: AskingSession | undefined;
  readonly valueUsdMicros: bigint;
  readonly maxNetworkLamports: bigint;
}

function newOperationApproval({
  known,
  origin,
  agentId,
  asked,
  session,
  valueUsdMicros,
  ...bounds
}: Wanted): ApprovalRequest {
  const { nowMs, policy, ownerId, reasons, lookalikeOf } = known;
  if (!hasPlace(known.pending, MAX_PENDING_OPERATIONS)) throw tooManyApprovals(known.pending);
  const { operationId, wallet } = asked;
  const { action, terms } = signedTerms(asked.action, { lookalikeOf, ...bounds });
  const valueUsd = formatAmount(valueUsdMicros, USD_DECIMALS);
  return {
    id: newId(),
    kind: 'operation',
    origin,
    agentId,
    ownerId,
    threshold: 1,
    terms,
    operation: { operationId, wallet, action, valueUsd, reasons },
    policyVersion: policy.version,
    askedAtMs: nowMs,
    expiresAtMs: nowMs + policy.approvalLifetimeHours * HOUR_MS,
    nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    session,
  };
}

/** Returns the error of an operation whose approval cannot be used, or not yet. */
function answerOf({ id: approvalId, state, document, expiresAtMs }: Approval): AppError {
  switch (state) {
    case 'pending':
    case 'approved':
      return new AppError('APPROVAL_REQUIRED', {
        data: { approvalId, expiresAtMs, reasons: operationOf(document).reasons },
      });
    case 'rejected':
    case 'withdrawn':
      return new AppError('APPROVAL_REJECTED', { data: { approvalId, reason: state } });
    case 'expired':
    case 'used':
      return new AppError('APPROVAL_EXPIRED', { data: { approvalId } });
    default:
      return new AppError('APPROVAL_REJECTED', { data: { approvalId, reason: 'void' } });
  }
}
