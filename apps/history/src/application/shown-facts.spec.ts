import { type operationsV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { findSearchText, findShownStatus } from './shown-facts.js';

type Action = operationsV1.OperationFacts['action'];

const factsOf = (action: Action): operationsV1.OperationFacts => ({ action, errorJson: '' });
const emptyOf = <Message>(type: { decode(bytes: Uint8Array): Message }) => type.decode(new Uint8Array());

const { ORDER_STATUS_CANCELLED, ORDER_STATUS_FILLED, ORDER_STATUS_PARTIALLY_FILLED } = predictionV1.OrderStatus;

const orderOf = (status: predictionV1.OrderStatus) => ({ ...emptyOf(predictionV1.Order), ticker: 'KXFED-26', status });
const bought = (status: predictionV1.OrderStatus) =>
  factsOf({ $case: 'predictionBuy', value: { ...emptyOf(predictionV1.BuyFacts), order: orderOf(status) } });
const sold = (status: predictionV1.OrderStatus) =>
  factsOf({ $case: 'predictionSell', value: { ...emptyOf(predictionV1.SellFacts), order: orderOf(status) } });

describe('findShownStatus', () => {
  it.each([bought, sold])('shows an order that filled nothing as cancelled once it is done', (made) => {
    expect(findShownStatus('confirmed', made(ORDER_STATUS_CANCELLED))).toBe('cancelled');
    expect(findShownStatus('confirmed', made(ORDER_STATUS_PARTIALLY_FILLED))).toBe('confirmed');
    expect(findShownStatus('confirmed', made(ORDER_STATUS_FILLED))).toBe('confirmed');
  });

  it.each(['pending', 'submitted', 'failed', 'rejected_by_policy', 'dropped'] as const)('keeps %s', (status) => {
    expect(findShownStatus(status, bought(ORDER_STATUS_CANCELLED))).toBe(status);
  });
});

describe('findSearchText', () => {
  it('has the memo and symbol of a transfer in lower case', () => {
    const value = { ...emptyOf(walletV1.TransferFacts), symbol: 'USDC', memo: 'Rent for MÄRZ\0' };
    expect(findSearchText('USDC', factsOf({ $case: 'transfer', value }))).toBe('usdc\nusdc\nrent for märz ');
  });

  it('has the symbols of a trade', () => {
    const tokenOf = (symbol: string) => ({ ...emptyOf(swapV1.TradedToken), symbol });
    const value = { ...emptyOf(swapV1.TradeFacts), input: tokenOf('SOL'), output: tokenOf('JUP') };
    expect(findSearchText('SOL', factsOf({ $case: 'trade', value }))).toBe('sol\nsol\njup');
  });

  it('has the ticker of an order', () => {
    expect(findSearchText('USDC', sold(ORDER_STATUS_FILLED))).toBe('usdc\nkxfed-26');
  });

  it('is the asset alone without facts', () => {
    expect(findSearchText('SOL', undefined)).toBe('sol');
  });
});
