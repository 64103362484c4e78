import { type historyV1, type operationsV1, policyV1, type swapV1, walletV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { attested } from './attested.js';
import { catalogScript } from './catalog-script.js';
import type { Script } from './fakes.js';
import { liquidityScript } from './liquidity-script.js';
import { predictionScript } from './prediction-script.js';
import { DRY_RUN, SIGNATURE, USDC } from './sample-dry-run.js';

export { DRY_RUN, SIGNATURE, USDC };

export const ADDRESS = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
export const RECIPIENT = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

export const DEFAULT_POLICY = {
  maxSingleTransactionUsdMicros: 100_000_000n,
  dailyLimitUsdMicros: 500_000_000n,
  allowedRecipients: [],
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
  approvalLifetimeHours: 24,
  newRecipients: policyV1.NewRecipients.NEW_RECIPIENTS_ALLOW,
  newRecipientCoolDownHours: 0,
  unpricedTokens: [],
  allowMailLogin: true,
  version: 1n,
  claimed: false,
};

/** A transfer of 64.1 USDC. */
export const SENT: walletV1.TransferFacts = {
  mint: USDC,
  symbol: 'USDC',
  decimals: 6,
  recipient: RECIPIENT,
  memo: '',
  amount: 64_100_000n,
  amountSent: 64_100_000n,
  fee: 0n,
  feeDeducted: false,
  totalDeducted: 64_100_000n,
  rentLamports: 2_039_280n,
  sponsored: false,
};

/** A confirmed transfer of 64.1 USDC. */
export const CONFIRMED: walletV1.TransferResponse = {
  state: walletV1.OperationState.OPERATION_STATE_CONFIRMED,
  signature: SIGNATURE,
  facts: SENT,
  networkFeeLamports: 5_000n,
};

export const SUBMITTED: walletV1.TransferResponse = {
  ...CONFIRMED,
  state: walletV1.OperationState.OPERATION_STATE_SUBMITTED,
  signature: '',
};

/** A confirmed unwrap of 1.5 SOL. */
export const UNWRAPPED: walletV1.UnwrapResponse = {
  state: walletV1.OperationState.OPERATION_STATE_CONFIRMED,
  signature: SIGNATURE,
  facts: { amount: 1_500_000_000n, sponsored: false },
  networkFeeLamports: 5_000n,
};

/** A confirmed trade of 25 USDC for SOL. */
export const TRADED: swapV1.TradeResponse = {
  state: walletV1.OperationState.OPERATION_STATE_CONFIRMED,
  signature: SIGNATURE,
  facts: {
    input: { mint: USDC, symbol: 'USDC', decimals: 6, amount: 25_000_000n },
    output: { mint: WRAPPED_SOL, symbol: 'SOL', decimals: 9, amount: 166_650_100n },
    priceImpactPercent: '-0.12',
    route: ['Raydium CLMM', 'Whirlpool'],
    slippageBps: 50,
    warnings: [{ mint: USDC, type: 'HAS_FREEZE_AUTHORITY', severity: 'warning', message: 'It can be frozen.' }],
    minOutputAmount: 165_834_166n,
    sponsored: false,
  },
  networkFeeLamports: 5_000n,
};

/** What dry runs do not have. */
const UNDECIDED = { state: walletV1.OperationState.OPERATION_STATE_UNSPECIFIED, signature: '' };

const DRY_RUN_TRANSFER: walletV1.TransferResponse = { ...CONFIRMED, ...UNDECIDED };

/** USDC, as the wallet knows it. */
export const TOKEN: walletV1.GetTokenResponse = {
  mint: USDC,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  verified: true,
  safety: {
    freezeAuthority: ADDRESS,
    mintAuthority: RECIPIENT,
    permanentDelegate: '',
    transferHook: '',
    transferFeeBps: 0,
    maxTransferFee: 0n,
    unsafeExtensions: [],
  },
};

const PLAIN = { isLiquidity: false, isScaled: false };

/** Services that do everything at once and well. */
export function defaultScript(): Script {
  return {
    wallet: {
      createWallet: async () => ({ address: ADDRESS, created: true }),
      getBalances: async () => ({
        address: ADDRESS,
        sol: {
          mint: '',
          symbol: 'SOL',
          amount: 1_500_000_001n,
          decimals: 9,
          usdMicros: 225_000_000n,
          ...PLAIN,
        },
        tokens: [
          { mint: USDC, symbol: 'USDC', amount: 64_100_000n, decimals: 6, usdMicros: 64_100_000n, ...PLAIN },
          { mint: RECIPIENT, symbol: 'ODD', amount: 18_446_744_073_709_551_615n, decimals: 0, ...PLAIN },
        ],
        totalUsdMicros: 289_100_000n,
        pricedAtMs: 1_763_719_200_000n,
      }),
      transfer: async () => CONFIRMED,
      dryRunTransfer: async () => ({ transfer: DRY_RUN_TRANSFER, dryRun: DRY_RUN }),
      unwrap: async () => UNWRAPPED,
      dryRunUnwrap: async () => ({ unwrap: { ...UNWRAPPED, ...UNDECIDED }, dryRun: DRY_RUN }),
      getNetwork: async () => ({ network: 'devnet' }),
      getAttestation: async ({ nonce }) => ({ replicas: [attested(nonce)], unanswered: 0 }),
      getToken: async ({ query }) => {
        if (query !== 'USDC') throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
        return TOKEN;
      },
    },
    swap: {
      trade: async () => TRADED,
      dryRunTrade: async () => ({ trade: { ...TRADED, ...UNDECIDED }, dryRun: DRY_RUN }),
      ...liquidityScript(DRY_RUN),
    },
    prediction: predictionScript(),
    catalog: catalogScript(),
    policy: {
      createPolicy: async () => ({ policy: DEFAULT_POLICY }),
      getPolicy: async () => ({ policy: DEFAULT_POLICY }),
      updatePolicy: async () => ({ policy: DEFAULT_POLICY }),
      getUsage: async () => ({
        settledUsdMicros: 64_100_000n,
        reservedUsdMicros: 0n,
        remainingTodayUsdMicros: 435_900_000n,
        maxAllowedNowUsdMicros: 100_000_000n,
        windowStartsAtMs: 1_763_632_800_000n,
        resetsAtMs: 1_763_719_200_000n,
      }),
    },
    owners: { voidOperations: async () => ({ voided: 0 }) },
    tokens: tokensScript(),
    history: {
      listTransactions: async () => listed([historyRecord(newId())]),
      getTransaction: async () => {
        throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
      },
      sumSpending: async () => ({
        groups: [{ key: '2025-11-21', usdMicros: 64_093_590n, count: 2n }],
        other: undefined,
        totalUsdMicros: 64_093_590n,
        unknownValueCount: 1n,
      }),
      getProof: async () => ({ events: [], checkpoint: undefined, hasMore: false }),
      findChanges: async () => ({ position: 0n, latest: undefined, changes: [], isTooFar: false }),
      followChanges: async ({ afterPosition: position }) => ({ position, changes: [], hasMore: false }),
    },
  };
}

/** Opens every token, and knows none. */
function tokensScript(): Script['tokens'] {
  return {
    openToken: async ({ tokenId, grant }) => {
      const used = { usedTodayUsdMicros: 0n, usedUsdMicros: 0n };
      return { token: { tokenId, grant, createdAtMs: 1_763_719_200_000n, ...used } };
    },
    endToken: async () => ({ voidedOperationIds: [] }),
    listTokens: async () => ({ tokens: [] }),
    bindOperation: async () => ({}),
  };
}

/** A last page of history. */
export function listed(transactions: historyV1.Transaction[], total = BigInt(transactions.length)) {
  return { transactions, total, hasMore: false, nextCursor: '' };
}

/** Facts of a record of history. */
export function historyFacts(action: operationsV1.OperationFacts['action']): operationsV1.OperationFacts {
  return { action, networkFeeLamports: 5_000n, errorJson: '' };
}

/** A record of history. */
export function historyRecord(id: string, status = 'confirmed'): historyV1.Transaction {
  return {
    id,
    action: 'transfer',
    asset: 'USDC',
    amount: 64_100_000n,
    decimals: 6,
    to: RECIPIENT,
    signature: SIGNATURE,
    status,
    facts: historyFacts({ $case: 'transfer', value: { ...SENT, rentLamports: 0n, memo: 'rent' } }),
    createdAtMs: 1_763_719_200_000n,
    updatedAtMs: 1_763_719_201_000n,
    valueUsdMicros: 64_093_590n,
  };
}
