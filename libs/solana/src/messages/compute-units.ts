import type { MessagePlan, TransferPlan, UnwrapPlan } from '../checks/message-plan.js';

/** Compute units of the parts of a message, with room for programs that got dearer since they were measured. */
const COMPUTE_BUDGET_UNITS = 300;
const SYSTEM_TRANSFER_UNITS = 300;
const TOKEN_TRANSFER_UNITS = 30_000;
const ACCOUNT_CREATION_UNITS = 60_000;
const ACCOUNT_CLOSING_UNITS = 10_000;
const SYNC_NATIVE_UNITS = 10_000;
const MEMO_UNITS = 20_000;
const MEMO_UNITS_PER_BYTE = 400;

/** A limit of compute units that is enough for a message. */
export function computeUnitsOf({ action }: MessagePlan): number {
  return COMPUTE_BUDGET_UNITS + (action.kind === 'transfer' ? transferUnits(action) : unwrapUnits(action));
}

function transferUnits({ token, memo, fee }: TransferPlan): number {
  const payments = fee ? 2 : 1;
  return (
    payments * (token ? TOKEN_TRANSFER_UNITS : SYSTEM_TRANSFER_UNITS) +
    (token?.createsRecipientAccount ? ACCOUNT_CREATION_UNITS : 0) +
    (memo.length > 0 ? MEMO_UNITS + MEMO_UNITS_PER_BYTE * memo.length : 0)
  );
}

function unwrapUnits({ remainder }: UnwrapPlan): number {
  const closing = TOKEN_TRANSFER_UNITS + ACCOUNT_CLOSING_UNITS;
  if (remainder === 0n) return closing;
  return closing + ACCOUNT_CREATION_UNITS + SYSTEM_TRANSFER_UNITS + SYNC_NATIVE_UNITS;
}
