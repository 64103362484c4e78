import type { ErrorCode, Facts } from '@agent-wallet/kernel';

const POOL = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
const APPROVAL = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

/** The facts that an error of a code cannot go without. */
const NEEDED: { readonly [Code in ErrorCode]?: Facts } = {
  INVALID_ADDRESS: { problem: 'mint' },
  UNSAFE_TOKEN: { mint: 'So11111111111111111111111111111111111111112', reasons: ['permanentDelegate'] },
  POLICY_VIOLATION: { rule: 'frozen' },
  POLICY_LOOSENING_NEEDS_OWNER: { loosens: [] },
  POOL_NOT_SUPPORTED: { pool: POOL, reason: 'too_small' },
  POOL_PAUSED: { pool: POOL },
  POOL_PRICE_DEVIATES: { pool: POOL, lossPercent: 3.1, maxLossPercent: 1.5 },
  VERSION_MISMATCH: { version: 7 },
  APPROVAL_CLOSED: { state: 'rejected' },
  APPROVAL_REJECTED: { approvalId: APPROVAL, reason: 'rejected' },
  APPROVAL_EXPIRED: { approvalId: APPROVAL },
  NOT_FOUND: { resource: 'market' },
};

/** Facts of an error, and those that its code needs besides. */
export function factsOf(code: ErrorCode, data: Facts = {}): Facts {
  return { ...NEEDED[code], ...data };
}
