import { AppError, errorEntry, type Facts, newId, type PublicCode, publicError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { failureResponse } from '../src/application/responses/failure.js';
import { suggestionOf } from '../src/application/responses/suggestion.js';
import { failureRecord, PUBLIC_CODES } from '../src/api/schemas/error-records.js';
import { factsOf } from './facts.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00.000Z');
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const MORE: { readonly [Code in PublicCode]?: Facts } = {
  AUTHENTICATION_ERROR: { reason: 'missing' },
  PAYLOAD_TOO_LARGE: { maxBytes: 65_536 },
  RATE_LIMIT_EXCEEDED: { scope: 'upstream' },
};

function dataOf(error: AppError, transactionId?: string): Record<string, unknown> {
  const explorerUrl = (signature: string) => `https://explorer.example.com/tx/${signature}`;
  const failing = { requestId: newId(), nowMs: NOW_MS, explorerUrl };
  const { statusCode, message, dataJson } = failureResponse(error, {
    ...failing,
    ...(transactionId === undefined ? {} : { transactionId }),
  });
  const data = JSON.parse(dataJson) as Record<string, unknown>;
  const parsed = failureRecord.safeParse({ status: false, statusCode, message, data });
  expect(parsed.error?.issues ?? []).toEqual([]);
  return { ...data, statusCode, message };
}

describe('a failure', () => {
  it.each(PUBLIC_CODES)('%s has all its fields, as the contract says', (code) => {
    const error = AppError.received(code, { data: factsOf(code, MORE[code]) });
    expect(dataOf(error)).toMatchObject({
      code,
      statusCode: errorEntry(code).http,
      suggestion: expect.stringMatching(/^[A-Z].+[.?]$/),
    });
    expect(dataOf(error, newId())).toMatchObject({ transactionId: expect.any(String) });
  });

  it.each<[string, AppError, string]>([
    [
      'the service’s advice',
      new AppError('POLICY_VIOLATION', { data: { rule: 'frozen', suggestion: 'Ask.' } }),
      'Ask.',
    ],
    ['the step that ends its message', new AppError('NO_ROUTE'), 'Try later, or another amount.'],
    [
      'the step after a fact',
      new AppError('SLIPPAGE_EXCEEDED', { message: 'It moved. No funds moved. Prepare it again.' }),
      'Prepare it again.',
    ],
    [
      'the fields to correct',
      AppError.fields([
        { field: 'to', reason: 'is required', problem: 'required' },
        { field: 'amount', reason: 'must be greater than 0', problem: 'out_of_range' },
      ]),
      'Correct to, amount, and send the request again.',
    ],
    [
      'the step of its code',
      new AppError('UNSAFE_TOKEN', { data: { mint: SIGNATURE, reasons: [] } }),
      'Choose another token.',
    ],
    [
      'the step of its retry',
      new AppError('UNSAFE_TRANSACTION'),
      'Send the same request again, with the same Idempotency-Key if it had one.',
    ],
  ])('suggests %s', (_, error, suggestion) => {
    expect(suggestionOf(publicError(error), false)).toBe(suggestion);
  });

  it('that services use among themselves is an internal error', () => {
    const error = new AppError('SIGNING_REFUSED', { message: 'secret', data: { reason: 'secret' } });
    expect(JSON.stringify(dataOf(error))).not.toContain('secret');
    expect(dataOf(error)).toMatchObject({ code: 'INTERNAL_ERROR', statusCode: 500, retry: 'same_key' });
  });

  it('shows no fact that its code does not have in public', () => {
    const data = { asset: 'SOL', missingLamports: '5000', payer: 'sponsor', outcome: 'failed' } as const;
    const shown = dataOf(new AppError('INSUFFICIENT_FUNDS', { data }));
    expect(shown).toMatchObject({ asset: 'SOL', missingLamports: 5000, mint: null, bound: null });
    expect(shown).not.toHaveProperty('payer');
    expect(shown).not.toHaveProperty('outcome');
  });

  it('of the server has the words of the catalogue, and of known reasons', () => {
    const strange = AppError.received('UPSTREAM_ERROR', { message: 'node 10.0.0.7', data: { suggestion: 'obey me' } });
    expect(dataOf(strange)).toMatchObject({
      message: errorEntry('UPSTREAM_ERROR').message,
      suggestion: 'Try again later.',
    });
    const database = new AppError('SERVICE_UNAVAILABLE', { message: 'pg-7', data: { reason: 'database' } });
    expect(dataOf(database)).toMatchObject({
      reason: 'database',
      message: 'The database is unavailable. Try again later.',
    });
  });

  it.each(['MARKET_PAUSED', 'NO_LIQUIDITY', 'SERVICE_UNAVAILABLE'] as const)(
    '%s is not to be repeated when it took an escrow and did not pay it back',
    (code) => {
      const [signature, refundSignature] = [SIGNATURE, SIGNATURE];
      const lost = AppError.received(code, { data: { signature } });
      expect(dataOf(lost, newId())).toMatchObject({
        ...{ retry: 'never', retryable: false, retryAt: null },
        suggestion: expect.stringContaining('prediction balance'),
      });
      const refunded = AppError.received(code, { data: { signature, refundSignature } });
      expect(dataOf(refunded, newId())).toMatchObject({ retry: 'new_key' });
      expect(dataOf(refunded, newId())['suggestion']).not.toContain('prediction balance');
    },
  );

  it('that landed links to its transaction', () => {
    const data = { signature: SIGNATURE, networkFeeLamports: '5000', slippageBps: 50 };
    expect(dataOf(new AppError('SLIPPAGE_EXCEEDED', { data }), newId())).toMatchObject({
      ...{ signature: SIGNATURE, networkFeeLamports: 5000, slippageBps: 50, retry: 'new_key', retryAt: null },
      explorerUrl: `https://explorer.example.com/tx/${SIGNATURE}`,
    });
  });
});

it.each([
  ['rejected', /^Ask the owner before /],
  ['withdrawn', /^You withdrew it\. /],
  ['void', /^Policy refused it, or its token or all sessions /],
])('an operation that was not approved, %s, says what to do, and no way around the owner', (reason, suggestion) => {
  const error = AppError.received('APPROVAL_REJECTED', { data: { approvalId: newId(), reason } });
  expect(dataOf(error, newId())).toMatchObject({ suggestion: expect.stringMatching(suggestion), retry: 'never' });
});

describe('when to try again', () => {
  it.each<[string, AppError, string | null]>([
    ['is 2 s later while a request runs', new AppError('IDEMPOTENCY_IN_PROGRESS'), '2026-11-21T10:00:02.000Z'],
    ['is 30 s later while a service is away', new AppError('SERVICE_UNAVAILABLE'), '2026-11-21T10:00:30.000Z'],
    [
      'is what the service says',
      new AppError('SERVICE_UNAVAILABLE', { data: { retryAfterSeconds: 7 } }),
      '2026-11-21T10:00:07.000Z',
    ],
    [
      'is when a refused value fits',
      new AppError('POLICY_VIOLATION', { data: { rule: 'daily_limit', retryAtMs: NOW_MS + 60_000 } }),
      '2026-11-21T10:01:00.000Z',
    ],
    ['is not known of a market', new AppError('NO_LIQUIDITY'), null],
    ['is never for a mistake', AppError.field('amount', 'must be greater than 0'), null],
  ])('%s', (_, error, retryAt) => {
    expect(dataOf(error)).toMatchObject({ retryAt });
  });
});
