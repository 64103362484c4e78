import { AppError } from '@agent-wallet/kernel';
import { USDC } from '../../api/schemas/examples.js';

/** Failures that openapi.json shows in full, as a service would throw them: one of each kind that carries facts. */
export const EXAMPLE_ERRORS: readonly AppError[] = [
  AppError.field('amount', 'must be greater than 0', 'out_of_range'),
  new AppError('INSUFFICIENT_FUNDS', {
    data: {
      asset: 'USDC',
      mint: USDC,
      decimals: 6,
      availableRaw: '40000000',
      neededRaw: '64100000',
      missingRaw: '24100000',
    },
  }),
  new AppError('POLICY_VIOLATION', {
    data: {
      rule: 'single_transaction_limit',
      limitUsdMicros: '100000000',
      requestedUsdMicros: '150000000',
      usedUsdMicros: '50000000',
      reservedUsdMicros: '0',
      remainingUsdMicros: '450000000',
      maxAllowedNowUsdMicros: '100000000',
      maxAmountNow: '100',
      maxAmountNowRaw: '100000000',
      suggestion: 'Send at most 100 USDC now. Ask the owner to change the policy.',
    },
  }),
  new AppError('RATE_LIMIT_EXCEEDED', {
    data: { scope: 'agent', limit: 30, windowSeconds: 60, retryAfterSeconds: 41 },
  }),
];
