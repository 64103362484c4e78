import type { TransferPlan } from '../checks/transfer-plan.js';

/** Compute units of the parts of a transfer, with room for programs that got dearer since they were measured. */
const COMPUTE_BUDGET_UNITS = 300;
const SYSTEM_TRANSFER_UNITS = 300;
const TOKEN_TRANSFER_UNITS = 30_000;
const ACCOUNT_CREATION_UNITS = 60_000;
const MEMO_UNITS = 20_000;
const MEMO_UNITS_PER_BYTE = 400;

/** A limit of compute units that is enough for a transfer. */
export function transferComputeUnits({ token, memo }: TransferPlan): number {
  return (
    COMPUTE_BUDGET_UNITS +
    (token ? TOKEN_TRANSFER_UNITS : SYSTEM_TRANSFER_UNITS) +
    (token?.createsRecipientAccount ? ACCOUNT_CREATION_UNITS : 0) +
    (memo.length > 0 ? MEMO_UNITS + MEMO_UNITS_PER_BYTE * memo.length : 0)
  );
}
