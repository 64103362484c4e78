import { describe, expect, it } from '@jest/globals';
import type {
  BuyPlan,
  EndedPayout,
  OrderResult,
  Placing,
  SellPlan,
  WithdrawPlan,
} from '../../domain/orders/order-plan.js';
import { buyCodec, sellCodec, withdrawCodec } from './order-codecs.js';

const order = {
  ...({ ticker: 'M-1', eventTicker: 'E', exchangeIndex: 0, action: 'buy', side: 'yes', count: 1_000n } as const),
  limitUsdMicros: 650_000n,
  askedAtMs: 1,
};
const name = { clientOrderId: 'c', sinceMs: 2 };
const refusal = { code: 'market_closed', status: 409 };
const placed = { orderId: 'o', filled: 400n };
const terms = { order, escrowUsdMicros: 6_700_000n };
const escrowed = { ...terms, escrowSignature: 'e' };
const payout = { amountUsdMicros: 5n, sinceMs: 3, attempt: 1 };

const PLACINGS: readonly Placing[] = [
  { ...name, state: 'sending', token: 't' },
  { ...name, state: 'unconfirmed' },
  { ...name, state: 'rejected_pending_proof', refusal, refusedAtMs: 4 },
  { ...name, state: 'acknowledged' },
  { ...name, state: 'too_late' },
];
const RESULTS: readonly OrderResult[] = [
  { kind: 'rejected', refusal },
  { kind: 'posted', placed, posted: { totalUsdMicros: 6n, feeUsdMicros: 0n, filledAtMs: 5 } },
  { kind: 'posted', placed: { ...placed, filled: 0n }, posted: { totalUsdMicros: 0n, feeUsdMicros: 0n } },
];
const ENDS: readonly EndedPayout[] = [
  { kind: 'paid', amountUsdMicros: 5n, attempt: 2, signature: 's' },
  { kind: 'in_balance', amountUsdMicros: 5n, attempt: 3 },
];

const BUYS: readonly BuyPlan[] = [
  { ...terms, state: 'escrowing', attempt: 1 },
  { ...terms, state: 'escrowing', attempt: 2, escrowSignature: 'e' },
  { ...terms, state: 'awaiting_approval', attempt: 1 },
  { ...terms, state: 'escrow_failed' },
  ...PLACINGS.map((placing) => ({ ...escrowed, state: 'placing' as const, placing })),
  { ...escrowed, ...name, state: 'posting', placed },
  ...RESULTS.map((result) => ({ ...escrowed, state: 'refunding' as const, result, payout })),
  ...ENDS.map((end) => ({ ...escrowed, state: 'done' as const, result: RESULTS[1]!, payout: end })),
  { ...escrowed, state: 'done', result: RESULTS[1]! },
  { order, state: 'beyond_limit' },
];
const SALES: readonly SellPlan[] = [
  ...PLACINGS.map((placing) => ({ order, state: 'placing' as const, placing })),
  { ...name, order, state: 'posting', placed },
  { order, state: 'paying', result: RESULTS[1]!, payout: { ...payout, signature: 's' } },
  ...RESULTS.map((result) => ({ order, state: 'done' as const, result })),
  { order, state: 'beyond_limit' },
];
const WITHDRAWALS: readonly WithdrawPlan[] = [
  { state: 'paying', payout },
  ...ENDS.map((end) => ({ state: 'done' as const, payout: end })),
];

describe('a plan in each of its states is the same after it was stored and read', () => {
  it.each([
    ['a buy', BUYS.map((plan) => [plan, buyCodec.plan.encode(plan), buyCodec.plan] as const)],
    ['a sale', SALES.map((plan) => [plan, sellCodec.plan.encode(plan), sellCodec.plan] as const)],
    ['a withdrawal', WITHDRAWALS.map((plan) => [plan, withdrawCodec.plan.encode(plan), withdrawCodec.plan] as const)],
  ])('%s', (_, plans) => {
    for (const [plan, json, codec] of plans) expect(codec.decode(JSON.parse(JSON.stringify(json)))).toEqual(plan);
  });

  it('has the names that statements read', () => {
    expect(buyCodec.plan.encode(BUYS[0]!)).toMatchObject({ state: 'escrowing', escrowUsdMicros: '6700000' });
    const acknowledged = BUYS.find((plan) => plan.state === 'placing' && plan.placing.state === 'acknowledged')!;
    expect(buyCodec.plan.encode(acknowledged)).toMatchObject({
      state: 'placing',
      placing: { state: 'acknowledged', clientOrderId: 'c' },
    });
  });

  it('rejects a member of another state', () => {
    const json = { ...buyCodec.plan.encode(BUYS[0]!), payout: {} };
    expect(() => buyCodec.plan.decode(json)).toThrow('plan.payout must be absent');
  });
});
