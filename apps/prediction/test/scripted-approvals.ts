import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import type { OperationApprovals } from '@agent-wallet/operations';

const { ApprovalState } = policyV1;

interface Asked {
  readonly approvalId: string;
  readonly order: intentV1.EscrowOrder;
  state: policyV1.ApprovalState;
}

const CLOSED: Partial<Record<policyV1.ApprovalState, () => AppError>> = {
  [ApprovalState.APPROVAL_STATE_EXPIRED]: () => AppError.received('APPROVAL_EXPIRED', { data: {} }),
  [ApprovalState.APPROVAL_STATE_REJECTED]: () =>
    AppError.received('APPROVAL_REJECTED', { data: { reason: 'rejected' } }),
  [ApprovalState.APPROVAL_STATE_VOID]: () => AppError.received('APPROVAL_REJECTED', { data: { reason: 'void' } }),
};

/** The approvals of a policy whose owners are asked about every buy of some agents. */
export class ScriptedApprovals implements OperationApprovals {
  /** Agents whose buys need an approval. */
  readonly agents = new Set<string>();
  readonly #asked = new Map<string, Asked>();
  /** Approvals that policy loses with its database. */
  isLost = false;

  /** Decides on the buy of an operation, as its owner does, or as time does. */
  decide(operationId: string, state: policyV1.ApprovalState): void {
    this.#asked.get(operationId)!.state = state;
  }

  stateOf(operationId: string): policyV1.ApprovalState | undefined {
    return this.#asked.get(operationId)?.state;
  }

  /** Returns the error that policy answers an escrow with; undefined when it permits it. */
  refusalOf(operationId: string, agentId: string, order: intentV1.EscrowOrder): AppError | undefined {
    if (!this.agents.has(agentId)) return undefined;
    const made = { approvalId: newId(), order, state: ApprovalState.APPROVAL_STATE_PENDING };
    const asked = this.#asked.get(operationId) ?? made;
    this.#asked.set(operationId, asked);
    if (!isWithin(order, asked.order)) return new AppError('PERMIT_CONFLICT', { data: { reason: 'other_terms' } });
    if (asked.state === ApprovalState.APPROVAL_STATE_PENDING) {
      const { approvalId } = asked;
      return new AppError('APPROVAL_REQUIRED', { data: { approvalId, expiresAtMs: 1_000, reasons: ['above_amount'] } });
    }
    const closed = CLOSED[asked.state]?.();
    if (!closed) asked.state = ApprovalState.APPROVAL_STATE_USED;
    return closed;
  }

  async getApprovalStates({
    approvalIds,
  }: policyV1.GetApprovalStatesRequest): Promise<policyV1.GetApprovalStatesResponse> {
    const known = this.isLost ? [] : [...this.#asked.values()];
    const wanted = known.filter(({ approvalId }) => approvalIds.includes(approvalId));
    return { approvals: wanted.map(({ approvalId, state }) => ({ approvalId, state, expiresAtMs: 1_000n })) };
  }
}

/** Compares as policy does: the same market, side and number of contracts, at most at the signed price and cost. */
function isWithin(order: intentV1.EscrowOrder, signed: intentV1.EscrowOrder): boolean {
  const isSame = (['ticker', 'side', 'count'] as const).every((name) => order[name] === signed[name]);
  const isCheaper = (['maxPriceUsdMicros', 'maxCostUsdMicros'] as const).every((name) => order[name] <= signed[name]);
  return isSame && isCheaper;
}
