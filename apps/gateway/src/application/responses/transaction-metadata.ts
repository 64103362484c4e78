import { AppError, formatAmount, isErrorCode } from '@agent-wallet/kernel';
import { averageCents, averageDollars, contracts, dollarsText, exactCents, orNull } from './cents.js';
import { amountNumber, type ExactJson, integerNumber, usdNumber } from './exact-json.js';
import { failureResponse } from './failure.js';
import { priceImpactText } from './trade-response.js';

/** What a service published of an operation: flat facts, amounts as digits with the unit last in the name. */
export type PublishedFacts = Readonly<Record<string, unknown>>;

/** What metadata needs of its record. */
export interface DescribedRecord {
  readonly id: string;
  readonly action: string;
  /** Base units; undefined while it is not known. */
  readonly amount?: bigint | undefined;
  readonly decimals: number;
  /** Unix milliseconds. */
  readonly updatedAtMs: bigint;
  readonly explorerUrl: (signature: string) => string;
}

type Metadata = Record<string, ExactJson>;
type Describe = (facts: PublishedFacts, record: DescribedRecord) => Metadata;

/** `metadata` of a record: the names and units of its action's response. What is not known is null. */
export function metadataResponse(facts: PublishedFacts, record: DescribedRecord): Metadata {
  return METADATA[record.action]?.(facts, record) ?? {};
}

const METADATA: Readonly<Record<string, Describe>> = {
  transfer: transferMetadata,
  trade: (facts, record) => ({ ...tradeMetadata(facts, record), ...chainOutcome(facts, record) }),
  deposit: ({ from, account }) => ({ from: textOf(from), account: textOf(account) }),
  unwrap_sol: (facts, record) => ({ sponsored: facts['sponsored'] === true, ...chainOutcome(facts, record) }),
  prediction_buy: buyMetadata,
  prediction_sell: sellMetadata,
  prediction_settlement: settlementMetadata,
  prediction_withdrawal: (facts, record) => ({
    amountDollars: orNull(record.amount, usdNumber),
    ...outcome(facts, record),
  }),
  policy_update: ({ changes }) => ({ changes: changes as ExactJson }),
};

function transferMetadata(facts: PublishedFacts, record: DescribedRecord): Metadata {
  const { amount, decimals } = record;
  const isKnown = amount !== undefined;
  const shown = (units: bigint) => amountNumber(units, decimals);
  const sent = unitsOf(facts['amountSentRaw']) ?? amount;
  const fee = unitsOf(facts['feeRaw']) ?? (isKnown ? 0n : undefined);
  const rent = unitsOf(facts['rentLamports']) ?? (isKnown ? 0n : undefined);
  return {
    amountSent: orNull(sent, shown),
    amountSentRaw: orNull(sent, String),
    fee: orNull(fee, shown),
    feeRaw: orNull(fee, String),
    feeMode: textOf(facts['feeMode']) ?? (isKnown ? 'added' : null),
    rentLamports: orNull(rent, integerNumber),
    sponsored: facts['sponsored'] === true,
    memo: textOf(facts['memo']),
    ...chainOutcome(facts, record),
  };
}

function tradeMetadata(facts: PublishedFacts, { amount, decimals }: DescribedRecord): Metadata {
  const from = textOf(facts['from']) ?? '';
  const to = textOf(facts['to']) ?? '';
  const output = unitsOf(facts['outputAmountRaw']);
  const outputDecimals = unitsOf(facts['outputDecimals']);
  const warnings = Array.isArray(facts['warnings']) ? (facts['warnings'] as ExactJson[]) : [];
  return {
    from,
    to,
    inputAmount: orNull(amount, (units) => `${formatAmount(units, decimals)} ${from}`),
    outputAmount:
      output === undefined || outputDecimals === undefined
        ? null
        : `${formatAmount(output, Number(outputDecimals))} ${to}`,
    inputMint: textOf(facts['inputMint']),
    outputMint: textOf(facts['outputMint']),
    inputAmountRaw: orNull(amount, String),
    outputAmountRaw: orNull(output, String),
    minOutputAmountRaw: textOf(facts['minOutputAmountRaw']),
    slippageBps: orNull(unitsOf(facts['slippageBps']), integerNumber),
    priceImpact: priceImpactText(textOf(facts['priceImpactPercent']) ?? ''),
    route: Array.isArray(facts['route']) ? (facts['route'] as string[]) : [],
    warnings,
  };
}

function orderMetadata(facts: PublishedFacts): Metadata {
  const filled = unitsOf(facts['filledHundredths']) ?? 0n;
  const total = unitsOf(facts['totalUsdMicros']) ?? 0n;
  return {
    orderId: textOf(facts['orderId']),
    ticker: textOf(facts['ticker']),
    eventTicker: textOf(facts['eventTicker']),
    side: textOf(facts['side']),
    count: contracts(filled),
    requestedCount: orNull(unitsOf(facts['count']), integerNumber),
    pricePerContract: averageCents(total, filled),
    pricePerContractDollars: averageDollars(total, filled),
    feeDollars: orNull(unitsOf(facts['feeUsdMicros']), usdNumber),
    status: textOf(facts['status']),
    limitPriceDollars: orNull(unitsOf(facts['limitUsdMicros']), dollarsText),
  };
}

function buyMetadata(facts: PublishedFacts, record: DescribedRecord): Metadata {
  return {
    ...orderMetadata(facts),
    maxPriceCents: orNull(unitsOf(facts['maxPriceCents']), integerNumber),
    totalCostDollars: orNull(unitsOf(facts['totalUsdMicros']), usdNumber),
    escrowDollars: orNull(unitsOf(facts['escrowUsdMicros']), usdNumber),
    refundedDollars: orNull(unitsOf(facts['refundUsdMicros']), usdNumber),
    refundedToBalance: facts['refundedToBalance'] === true,
    refundSignature: textOf(facts['refundSignature']),
    ...outcome(facts, record),
  };
}

function sellMetadata(facts: PublishedFacts, record: DescribedRecord): Metadata {
  return {
    ...orderMetadata(facts),
    minPriceCents: orNull(unitsOf(facts['minPriceCents']), integerNumber),
    totalProceedsDollars: orNull(unitsOf(facts['totalUsdMicros']), usdNumber),
    paidToBalance: facts['paidToBalance'] === true,
    ...outcome(facts, record),
  };
}

function settlementMetadata(facts: PublishedFacts): Metadata {
  const value = unitsOf(facts['yesValueUsdMicros']) ?? 0n;
  const positions = Array.isArray(facts['positions']) ? (facts['positions'] as PublishedFacts[]) : [];
  return {
    ticker: textOf(facts['ticker']),
    eventTicker: textOf(facts['eventTicker']),
    result: textOf(facts['result']),
    settlementValue: exactCents(value),
    settlementValueDollars: dollarsText(value),
    positions: positions.map((position) => ({
      side: textOf(position['side']),
      quantity: contracts(unitsOf(position['quantityHundredths']) ?? 0n),
      totalCostDollars: usdNumber(unitsOf(position['costUsdMicros']) ?? 0n),
      settlementResult: textOf(position['settlementResult']),
      settlementPayoutDollars: usdNumber(unitsOf(position['payoutUsdMicros']) ?? 0n),
    })),
  };
}

function chainOutcome(facts: PublishedFacts, record: DescribedRecord): Metadata {
  return {
    networkFeeLamports: orNull(unitsOf(facts['networkFeeLamports']), integerNumber),
    ...outcome(facts, record),
  };
}

/** An error as a service published it. */
interface PublishedError {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly details?: AppError['details'];
  readonly data?: AppError['data'];
}

/** The error as its caller was answered it. */
function outcome({ error }: PublishedFacts, { id, updatedAtMs, explorerUrl }: DescribedRecord): Metadata {
  if (error === undefined) return { error: null, errorMessage: null };
  const { code, message, requestId = id, details = [], data = {} } = error as PublishedError;
  const known = AppError.received(isErrorCode(code) ? code : 'INTERNAL_ERROR', { message, details, data });
  const response = failureResponse(known, { requestId, transactionId: id, nowMs: Number(updatedAtMs), explorerUrl });
  return { error: JSON.parse(response.dataJson) as ExactJson, errorMessage: response.message };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Units of digits, or of a number that a service published as one. */
function unitsOf(value: unknown): bigint | undefined {
  return /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : undefined;
}
