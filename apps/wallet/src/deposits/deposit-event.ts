import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, newId } from '@agent-wallet/kernel';
import { NATIVE, symbolOf } from '../domain/token-registry.js';
import type { Deposit, DepositState } from './deposit.js';

const STATUS: Readonly<Record<DepositState, auditV1.OperationStatus>> = {
  pending: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
  confirmed: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
  dropped: auditV1.OperationStatus.OPERATION_STATUS_DROPPED,
};

/** A row of the outbox. */
export interface DepositEvent {
  readonly eventId: string;
  /** Serialized agentwallet.audit.v1.AuditEvent. */
  readonly payload: Uint8Array;
}

/** The whole record of a deposit, as history is told it. */
export function depositEvent(deposit: Deposit, clock: Clock): DepositEvent {
  const { mint, amount, decimals, sender, account, wallet } = deposit;
  const metadata = {
    mint: mint || null,
    decimals,
    amountRaw: amount.toString(),
    ...(account === wallet ? {} : { account }),
    ...(sender ? { from: sender } : {}),
  };
  const event: auditV1.AuditEvent = {
    eventId: newId(),
    agentId: deposit.agentId,
    occurredAtMs: BigInt(clock.nowMs()),
    source: 'wallet',
    requestId: '',
    fact: {
      $case: 'operationChanged',
      value: {
        operationId: deposit.id,
        revision: deposit.revision,
        action: 'deposit',
        status: STATUS[deposit.state],
        asset: mint ? symbolOf(mint) : NATIVE.symbol,
        amount,
        decimals,
        to: wallet,
        signature: deposit.signature,
        metadataJson: JSON.stringify(metadata),
        createdAtMs: BigInt(deposit.createdAtMs),
      },
    },
  };
  return { eventId: event.eventId, payload: auditV1.AuditEvent.encode(event).finish() };
}
