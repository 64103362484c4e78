import type { walletV1 } from '@agent-wallet/contracts';

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

/** Nothing is in the way of it. */
export const DRY_RUN: walletV1.DryRun = {
  decision: {
    allowed: true,
    rule: '',
    valueUsdMicros: 64_100_001n,
    usage: {
      settledUsdMicros: 10_000_000n,
      reservedUsdMicros: 2_500_000n,
      remainingTodayUsdMicros: 487_500_000n,
      maxAllowedNowUsdMicros: 100_000_000n,
      windowStartsAtMs: 1_763_632_800_000n,
      resetsAtMs: 1_763_719_200_000n,
    },
    maxAmountNow: { mint: USDC, amount: 99_980_000n, decimals: 6 },
  },
  networkFeeLamports: 5_000n,
  sponsored: false,
  balanceChanges: [
    { mint: '', symbol: 'SOL', decimals: 9, amount: 5_000n, isDebit: true },
    { mint: USDC, symbol: 'USDC', decimals: 6, amount: 64_100_000n, isDebit: true },
  ],
};
