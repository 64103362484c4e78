import type { intentV1 } from '@agent-wallet/contracts';

/** Compute units of the parts of a transfer, with room for programs that got dearer since they were measured. */
const COMPUTE_BUDGET_UNITS = 300;
const SYSTEM_TRANSFER_UNITS = 300;
const TOKEN_TRANSFER_UNITS = 30_000;
const ACCOUNT_CREATION_UNITS = 60_000;
const MEMO_UNITS = 20_000;
const MEMO_UNITS_PER_BYTE = 400;

/** A limit of compute units that is enough for a transfer. */
export function transferComputeUnits(intent: intentV1.Intent): number {
  const transfer = intent.action?.value;
  if (!transfer) return COMPUTE_BUDGET_UNITS;
  const memoBytes = Buffer.byteLength(transfer.memo);
  return (
    COMPUTE_BUDGET_UNITS +
    (transfer.mint === '' ? SYSTEM_TRANSFER_UNITS : TOKEN_TRANSFER_UNITS) +
    (transfer.createsRecipientAccount ? ACCOUNT_CREATION_UNITS : 0) +
    (memoBytes > 0 ? MEMO_UNITS + MEMO_UNITS_PER_BYTE * memoBytes : 0)
  );
}
