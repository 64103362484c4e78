import { auditV1, walletV1 } from '@agent-wallet/contracts';
import type { AuditFact } from '@agent-wallet/events';
import { NAMED_TOKENS, newId } from '@agent-wallet/kernel';

/** Facts that lead to notices. */

/** An address that agents pay. */
export const PAYEE = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** A request with a document as policy writes it. */
export function approval(kind: string, ownerId: string, more: object, approvalId = newId()): AuditFact {
  const document = Buffer.from(
    JSON.stringify({
      type: 'agent-wallet.approval.v1',
      kind,
      owner: ownerId,
      expiresAt: '2026-11-25T00:00:00.000Z',
      ...more,
    }),
  );
  return { $case: 'approvalRequested', value: { approvalId, kind, document } };
}

/** Returns the part of a document that asks for a payment of 55 USDC. */
export function requestedPayment({ terms, ...change }: { readonly operation?: string; readonly terms?: object }) {
  const payment = { recipient: PAYEE, mint: NAMED_TOKENS[1]!.mint, amount: '55000000', decimals: '6' };
  return {
    ...{ action: 'transfer', operation: newId(), valueUsd: '55', reasons: ['new_recipient'] },
    terms: { ...payment, maxFee: '0', createsAccount: 'false', memo: 'rent for May', trust: 'once', ...terms },
    ...change,
  };
}

export function transfer(to: string, change: Partial<auditV1.OperationChanged> = {}): AuditFact {
  const value: auditV1.OperationChanged = {
    ...{ operationId: newId(), revision: 3, action: 'transfer', asset: 'USDC', amount: 1_500_000n, decimals: 6, to },
    status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
    ...{ signature: '', facts: undefined, createdAtMs: 1n, countersignature: undefined, ...change },
  };
  return { $case: 'operationChanged', value };
}

/** Returns the facts of a transfer with a memo. */
export function withMemo(memo: string): Partial<auditV1.OperationChanged> {
  const value = { ...walletV1.TransferFacts.decode(new Uint8Array()), memo };
  return { facts: { action: { $case: 'transfer', value }, errorJson: '' } };
}

export const settled = (valueUsdMicros: bigint): AuditFact => ({
  $case: 'reservationSettled',
  value: { operationId: newId(), step: 1, attempt: 1, valueUsdMicros },
});
export const policyChange = (field: string, before: unknown, after: unknown): AuditFact => ({
  $case: 'policyChanged',
  value: { changes: [{ field, before: JSON.stringify(before), after: JSON.stringify(after) }] },
});
export const passkey = (ownerId: string, action: string): AuditFact => ({
  $case: 'passkeyChanged',
  value: {
    ...{ ownerId, action, credentialId: Buffer.from('a credential'), coseKey: Buffer.from('a key') },
    ...{ attestationObject: Buffer.alloc(0), clientDataJson: Buffer.alloc(0) },
  },
});
export const reuse = (): AuditFact => ({ $case: 'tokenReused', value: { sessionId: newId() } });
export const opened = (name: string): AuditFact => ({
  $case: 'tokenOpened',
  value: { tokenId: newId(), name, scopes: ['read', 'trade'], expiresAtMs: BigInt(Date.UTC(2026, 11, 1)) },
});
export const started = (sessionId: string): AuditFact => ({
  $case: 'sessionStarted',
  value: { sessionId, expiresAtMs: 1n },
});
export const decided = (ownerId: string, outcome: string, effectiveAtMs: bigint | undefined): AuditFact => ({
  $case: 'approvalDecided',
  value: { ...auditV1.ApprovalDecided.decode(new Uint8Array()), approvalId: newId(), ownerId, outcome, effectiveAtMs },
});
