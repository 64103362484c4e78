import { describe, expect, it } from '@jest/globals';
import { SOL, USDC } from '../testing/scenarios.js';
import { executeResponse, executeBody } from './execute.js';
import { holdingsResponse } from './holdings.js';
import { errorResponse, orderResponse } from './order.js';
import { priceResponse } from './price.js';
import { shieldResponse } from './shield.js';

const ORDER = {
  mode: 'manual',
  inputMint: SOL,
  outputMint: USDC,
  inAmount: '1000000000',
  outAmount: '157000000',
  otherAmountThreshold: '156215000',
  swapMode: 'ExactIn',
  slippageBps: 50,
  priceImpactPct: '-0.000131',
  routePlan: [
    {
      swapInfo: {
        ammKey: USDC,
        label: 'Orca Whirlpool',
        inputMint: SOL,
        outputMint: USDC,
        inAmount: '1000000000',
        outAmount: '157000000',
        feeAmount: '1',
      },
      percent: 100,
      bps: 10_000,
    },
  ],
  feeBps: 2,
  platformFee: { feeBps: 2 },
  signatureFeeLamports: 5_000,
  prioritizationFeeLamports: 10_000,
  rentFeeLamports: 0,
  signatureFeePayer: USDC,
  prioritizationFeePayer: USDC,
  rentFeePayer: null,
  swapType: 'aggregator',
  router: 'metis',
  transaction: 'AAAA',
  lastValidBlockHeight: '300000000',
  gasless: false,
  requestId: 'a',
  totalTime: 12,
  taker: USDC,
};

describe("the aggregator's answers", () => {
  it('are read with amounts as bigint, and with unknown fields', () => {
    const order = orderResponse.parse({ ...ORDER, somethingElse: 1 });
    expect(order).toMatchObject({ inAmount: 1_000_000_000n, lastValidBlockHeight: 300_000_000n });
    expect(orderResponse.parse({ ...ORDER, transaction: '', errorCode: 1, errorMessage: 'x' }).transaction).toBe('');
    expect(orderResponse.parse({ ...ORDER, transaction: null, taker: null }).transaction).toBeNull();
    expect(executeResponse.parse({ code: -1, error: 'Order not found, it might have expired' }).status).toBeUndefined();
    expect(executeResponse.parse({ status: 'Success', code: 0, slot: '5', totalInputAmount: '7' })).toMatchObject({
      slot: 5n,
      totalInputAmount: 7n,
    });
    expect(errorResponse.parse({ error: 'Failed to get quotes', requestId: 'a' }).error).toBe('Failed to get quotes');
  });

  it.each([
    ['a number for an amount', { inAmount: 1 }],
    ['an amount beyond a u64', { outAmount: '18446744073709551616' }],
    ['a negative amount', { outAmount: '-1' }],
    ['a leading zero', { outAmount: '01' }],
    ['a mint that is none', { inputMint: 'SOL' }],
    ['exact out', { swapMode: 'ExactOut' }],
    ['more slippage than there is', { slippageBps: 10_001 }],
    ['an unknown router', { router: 'other' }],
    ['a transaction that is not base64', { transaction: '!' }],
    ['no request id', { requestId: '' }],
  ])('are refused with %s', (_, change) => {
    expect(orderResponse.safeParse({ ...ORDER, ...change }).success).toBe(false);
  });

  it('are read of the shield, of holdings and of prices', () => {
    const warning = { type: '5%_TRANSFER_FEES', message: 'm', severity: 'critical' };
    expect(shieldResponse.parse({ warnings: { [USDC]: [warning], [SOL]: [] } }).warnings[USDC]).toEqual([warning]);
    expect(shieldResponse.safeParse({ warnings: { [USDC]: [{ ...warning, severity: 'x' }] } }).success).toBe(false);
    const native = { amount: '5', uiAmount: 0, uiAmountString: '0' };
    expect(holdingsResponse.parse({ ...native, tokens: {} }).amount).toBe(5n);
    const price = { usdPrice: 1, decimals: 6, blockId: null, priceChange24h: null, liquidity: 1, createdAt: 'x' };
    expect(priceResponse.parse({ [USDC]: price })[USDC]?.usdPrice).toBe(1);
  });

  it('are asked for with a body that has no more than it may', () => {
    expect(executeBody.safeParse({ signedTransaction: 'AAAA', requestId: 'a' }).success).toBe(true);
    expect(executeBody.safeParse({ signedTransaction: '', requestId: 'a' }).success).toBe(false);
  });
});
