import type { WholePolicy } from './policy-diff.js';

/** Names of the presets, from the strictest. */
export const PRESETS = ['careful', 'standard', 'trusting'] as const;

/** A preset's name. */
export type Preset = (typeof PRESETS)[number];

/** Fields that each preset sets. Lists stay as they are. */
export const PRESET_POLICIES: Readonly<Record<Preset, Partial<WholePolicy>>> = {
  careful: {
    maxSingleTransactionInUsd: 20,
    dailyLimitInUsd: 50,
    approveAboveInUsd: 10,
    newRecipients: 'approve',
    newRecipientCoolDownHours: 24,
    allowTrading: false,
    allowLiquidityProvision: false,
    allowPredictionMarkets: false,
  },
  standard: {
    maxSingleTransactionInUsd: 100,
    dailyLimitInUsd: 250,
    approveAboveInUsd: 50,
    newRecipients: 'approve',
    newRecipientCoolDownHours: 0,
    allowTrading: true,
    allowLiquidityProvision: false,
    allowPredictionMarkets: false,
  },
  trusting: {
    maxSingleTransactionInUsd: 500,
    dailyLimitInUsd: 2_000,
    approveAboveInUsd: 250,
    newRecipients: 'allow',
    newRecipientCoolDownHours: 0,
    allowTrading: true,
    allowLiquidityProvision: true,
    allowPredictionMarkets: true,
  },
};
