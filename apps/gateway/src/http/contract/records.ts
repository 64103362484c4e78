import { z } from 'zod';

/** Records of answers, for the documents and for the contract tests. */

const time = () => z.iso.datetime();
const raw = (description: string) => z.string().regex(/^\d+$/).meta({ description });
const usd = (description: string) => z.number().meta({ description });

export const policyRecord = z.strictObject({
  maxSingleTransactionInUsd: z.number().meta({ description: 'Largest value of one transaction.' }),
  dailyLimitInUsd: z.number().meta({ description: 'Largest value of all transactions in any 24 hours.' }),
  allowedRecipients: z.array(z.string()).meta({ description: 'Recipients of transfers; empty allows every one.' }),
  allowTrading: z.boolean(),
  allowLiquidityProvision: z.boolean(),
  allowPredictionMarkets: z.boolean(),
  sessionExpirationHours: z.int().meta({ description: 'Validity of a token, from the next login on.' }),
});

export const usageRecord = z.strictObject({
  usedUsd: z.number().meta({ description: 'Settled in the last 24 hours.' }),
  reservedUsd: z.number().meta({ description: 'Held by operations whose outcome is open.' }),
  remainingTodayUsd: z.number(),
  maxAllowedNowUsd: z.number().meta({ description: 'The largest single transaction that would pass now.' }),
  windowStartsAt: time(),
  resetsAt: time().nullable().meta({ description: 'When the oldest value leaves the window; null when it is empty.' }),
});

export const transferRecord = z.strictObject({
  transactionId: z.uuid(),
  status: z.literal('confirmed'),
  signature: z.string(),
  explorerUrl: z.url(),
  amount: z.string().meta({ description: '`<amount> <SYMBOL>`' }),
  amountRaw: raw('The amount in base units.'),
  mint: z.string().nullable().meta({ description: 'null for the native coin.' }),
  amountSent: z.number().meta({ description: 'What the recipient got.' }),
  fee: z.number(),
  feeMode: z.enum(['added', 'deducted']),
  totalDeducted: z.number().meta({ description: 'What left the wallet in this token, network fees apart.' }),
  recipient: z.string(),
});

export const unwrapRecord = z.strictObject({
  transactionId: z.uuid(),
  status: z.literal('confirmed'),
  signature: z.string(),
  explorerUrl: z.url(),
  amount: z.string().meta({ description: '`<amount> SOL`' }),
  amountRaw: raw('The amount in lamports.'),
});

const warningRecord = z.strictObject({
  mint: z.string(),
  type: z.string().meta({ description: 'For programs: `HAS_FREEZE_AUTHORITY` …' }),
  severity: z.enum(['info', 'warning', 'critical']),
  message: z.string(),
});

export const tradeRecord = z.strictObject({
  transactionId: z.uuid(),
  status: z.literal('confirmed'),
  signature: z.string(),
  explorerUrl: z.url(),
  inputAmount: z.string().meta({ description: '`<amount> <SYMBOL>` that was spent.' }),
  outputAmount: z.string().meta({ description: '`<amount> <SYMBOL>` that came in.' }),
  inputMint: z.string().meta({ description: 'That of wrapped SOL for the native coin.' }),
  outputMint: z.string().meta({ description: 'That of wrapped SOL for the native coin.' }),
  inputAmountRaw: raw('What was spent, in base units; network fee and rent apart.'),
  outputAmountRaw: raw('What came in, in base units; network fee and rent apart.'),
  minOutputAmountRaw: raw('With less than this coming in, nothing would have moved.'),
  slippageBps: z.int().meta({ description: 'What was tolerated, in basis points.' }),
  priceImpact: z
    .string()
    .regex(/^-?\d+(\.\d+)?%$/)
    .nullable()
    .meta({ description: 'What the order loses against the market price, e.g. `0.12%`; null where it is not known.' }),
  route: z.array(z.string()).meta({ description: 'Names of the venues, the largest share first.' }),
  warnings: z.array(warningRecord).meta({ description: 'What speaks against the two tokens.' }),
});

/** Why policy refuses something; `rule` of a refusal and of a dry run. */
export const POLICY_RULES = [
  'trading_disabled',
  'liquidity_disabled',
  'prediction_markets_disabled',
  'recipient_not_allowed',
  'single_transaction_limit',
  'daily_limit',
  'price_unavailable',
  'frozen',
] as const;

const decisionRecord = z.strictObject({
  allowed: z.boolean().meta({ description: 'Whether policy would let it pass now.' }),
  rule: z.enum(POLICY_RULES).nullable().meta({ description: 'What refuses it; null when allowed.' }),
  limitUsd: usd('The limit that refuses it; null for every other rule.').nullable(),
  usedUsd: usd('Of the daily limit; what is reserved counts.'),
  remainingUsd: usd('Left of the daily limit.'),
  requestedUsd: usd('The value of this request; null without a fresh price.').nullable(),
  maxAllowedNowUsd: usd('The largest single transaction that would pass now.'),
  resetsAt: time().nullable().meta({ description: 'When the oldest value leaves the window; null when it is empty.' }),
});

/** What a dry run has instead of an outcome, and beyond it. */
export const dryRunFields = {
  transactionId: z.null(),
  status: z.literal('dry_run'),
  signature: z.null(),
  explorerUrl: z.null(),
  policy: decisionRecord,
  networkFeeLamports: z.int().meta({ description: 'What the network takes, whoever pays it.' }),
  sponsored: z.boolean().meta({ description: 'Whether the operator would pay network fee and rent.' }),
  balanceChanges: z.array(
    z.strictObject({
      mint: z.string().nullable().meta({ description: 'null for the native coin.' }),
      symbol: z.string(),
      amountRaw: z
        .string()
        .regex(/^-?\d+$/)
        .meta({ description: 'Base units; what leaves the wallet is negative.' }),
    }),
  ),
};

export const transferDryRunRecord = transferRecord.extend(dryRunFields);
export const unwrapDryRunRecord = unwrapRecord.extend(dryRunFields);
export const tradeDryRunRecord = tradeRecord.extend(dryRunFields);

const power = (description: string) => z.string().nullable().meta({ description });

export const tokenRecord = z.strictObject({
  mint: z.string().meta({ description: 'That of wrapped SOL for the native coin.' }),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  verified: z.boolean().meta({ description: 'Whether the token is known to be the one it says it is.' }),
  safety: z.strictObject({
    freezeAuthority: power('Who may freeze accounts; null for nobody.'),
    mintAuthority: power('Who may make more of it; null for nobody.'),
    permanentDelegate: power('Who may move or burn it in any account; null for nobody.'),
    transferHook: power('The program that every transfer calls; null for none.'),
    transferFeeBps: z.int().meta({ description: 'The mint’s own fee on transfers, in basis points.' }),
    maxTransferFeeRaw: raw('The most that this fee takes of one transfer, in base units.'),
    unsafeExtensions: z.array(z.string()).meta({ description: 'Why this service does not move the token.' }),
  }),
});

export const submittedRecord = z.strictObject({
  status: z.literal('submitted'),
  transactionId: z.uuid(),
  signature: z.string().optional(),
  explorerUrl: z.url().optional(),
});

export const submittedOrderRecord = submittedRecord.extend({ transactionStatus: z.literal('submitted') });

export const balancesRecord = z.strictObject({
  chainAddress: z.string(),
  sol: z.strictObject({ balance: z.number(), amountRaw: raw('Lamports.'), usdValue: z.number().nullable() }),
  tokens: z.array(
    z.strictObject({
      mint: z.string(),
      symbol: z.string(),
      balance: z.number(),
      amountRaw: raw('Base units.'),
      decimals: z.int(),
      usdValue: z.number().nullable().meta({ description: 'null where no fresh price is known.' }),
    }),
  ),
  totalUsdValue: z.number().meta({ description: 'Sum of the known values.' }),
  pricedAt: time().nullable(),
});

/** What a record of history can be about. */
export const HISTORY_ACTIONS = [
  'transfer',
  'trade',
  'deposit',
  'unwrap_sol',
  'prediction_buy',
  'prediction_sell',
  'prediction_settlement',
  'prediction_withdrawal',
  'policy_update',
] as const;

export const transactionRecord = z.strictObject({
  id: z.uuid(),
  action: z.enum(HISTORY_ACTIONS),
  asset: z.string().nullable(),
  amount: z.number().nullable(),
  amountRaw: raw('Base units.').nullable(),
  to: z.string().optional().meta({ description: 'The recipient, where there is one.' }),
  signature: z.string().nullable(),
  status: z.enum(['pending', 'submitted', 'confirmed', 'failed', 'expired', 'rejected_by_policy']),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: time(),
});

export const paginationRecord = z.strictObject({
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  hasMore: z.boolean(),
});
