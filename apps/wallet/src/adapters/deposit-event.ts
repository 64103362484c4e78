import { auditV1 } from '@agent-wallet/contracts';
import { auditEvent, type EventRecord } from '@agent-wallet/events';
import type { Clock } from '@agent-wallet/kernel';
import type { Deposit, DepositState } from '../domain/deposits/deposit.js';
import { NATIVE, type TokenRegistry } from '../domain/token-registry.js';

const STATUS: Readonly<Record<DepositState, auditV1.OperationStatus>> = {
  pending: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
  confirmed: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
  dropped: auditV1.OperationStatus.OPERATION_STATUS_DROPPED,
};

/** Creates the event of a deposit: its whole record. */
export function depositEvent(
  deposit: Deposit,
  { registry, clock }: { readonly registry: TokenRegistry; readonly clock: Clock },
): EventRecord {
  const { mint, amount, decimals, sender, account, wallet } = deposit;
  const known = { mint, from: sender, account: account === wallet ? '' : account };
  const value: auditV1.OperationChanged = {
    operationId: deposit.id,
    revision: deposit.revision,
    action: 'deposit',
    status: STATUS[deposit.state],
    asset: mint ? registry.symbolOf(mint) : NATIVE.symbol,
    amount,
    decimals,
    to: wallet,
    signature: deposit.signature,
    facts: { action: { $case: 'deposit', value: known }, errorJson: '' },
    createdAtMs: BigInt(deposit.createdAtMs),
  };
  return auditEvent({ source: 'wallet', clock }, deposit.agentId, { $case: 'operationChanged', value });
}
