import { AppError, type FactsOf, type FieldProblem, type PublicCode } from '@agent-wallet/kernel';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOL = 'So11111111111111111111111111111111111111112';
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const MARKET = { ticker: 'KXFED-26DEC-T4.00', side: 'yes' } as const;
const LANDED = { signature: SIGNATURE, networkFeeLamports: '5000' } as const;

/** What an example of each code says. */
const FACTS: { readonly [Code in PublicCode]?: FactsOf<Code> } = {
  UNKNOWN_TOKEN: { didYouMean: [{ symbol: 'USDC', mint: USDC }] },
  INVALID_ADDRESS: { problem: 'mint' },
  INSUFFICIENT_FUNDS: {
    ...{ asset: 'USDC', mint: USDC, decimals: 6 },
    ...{ availableRaw: '40000000', neededRaw: '64100000', missingRaw: '24100000' },
  },
  UNSAFE_TOKEN: { mint: USDC, reasons: ['permanent_delegate'] },
  NO_ROUTE: { inputMint: USDC, outputMint: SOL },
  MARKET_CLOSED: MARKET,
  MARKET_PAUSED: MARKET,
  NO_LIQUIDITY: { ...MARKET, bestPriceCents: 66 },
  INSUFFICIENT_POSITION: { ...MARKET, requestedCount: 10, availableCount: 4 },
  SLIPPAGE_EXCEEDED: { ...LANDED, slippageBps: 50 },
  TRANSACTION_FAILED: LANDED,
  AUTHENTICATION_ERROR: { reason: 'expired' },
  POLICY_VIOLATION: {
    ...{ rule: 'single_transaction_limit', limitUsdMicros: '100000000', requestedUsdMicros: '150000000' },
    ...{ usedUsdMicros: '50000000', reservedUsdMicros: '0', remainingUsdMicros: '450000000' },
    ...{
      maxAllowedNowUsdMicros: '100000000',
      suggestion: 'Send at most 100.00 USD, or ask the owner to change the policy.',
    },
  },
  NOT_FOUND: { resource: 'transaction' },
  METHOD_NOT_ALLOWED: { allowed: ['GET', 'HEAD'] },
  PAYLOAD_TOO_LARGE: { maxBytes: 65_536 },
  UNSUPPORTED_MEDIA_TYPE: { supported: ['application/json'] },
  RATE_LIMIT_EXCEEDED: { scope: 'agent', limit: 30, windowSeconds: 60, retryAfterSeconds: 41 },
  SERVICE_UNAVAILABLE: { reason: 'recovering' },
};

/** The fields that are wrong, of codes that name them. */
const DETAILS: { readonly [Code in PublicCode]?: readonly FieldProblem[] } = {
  VALIDATION_ERROR: [{ field: 'amount', reason: 'must be greater than 0', problem: 'out_of_range' }],
  INVALID_IDEMPOTENCY_KEY: [
    {
      field: 'Idempotency-Key',
      reason: 'must be given once, as 1–128 printable characters',
      problem: 'invalid_format',
    },
  ],
  UNKNOWN_TOKEN: [{ field: 'mint', reason: '"USDX" is unknown', problem: 'invalid_format' }],
  INVALID_ADDRESS: [{ field: 'to', reason: 'is the mint of USDC, not a wallet', problem: 'invalid_format' }],
};

/** An error of a code, as a service would throw it. */
export function exampleError(code: PublicCode): AppError {
  return AppError.received(code, { data: FACTS[code] ?? {}, details: DETAILS[code] ?? [] });
}
