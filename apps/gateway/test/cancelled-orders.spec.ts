import { historyV1, predictionV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { emptyMessage } from '../src/api/history/transaction-kind.js';
import { showTransaction } from '../src/api/history/transactions.js';
import { CANCELLED, ORDER } from './prediction-script.js';

/** Returns the status of a buy in history. */
function statusOf(order: predictionV1.Order, status: string): unknown {
  const value = { ...emptyMessage(predictionV1.BuyFacts), order };
  const facts = { action: { $case: 'predictionBuy', value } as const, errorJson: '' };
  const record = { ...emptyMessage(historyV1.Transaction), action: 'prediction_buy', status, facts };
  return showTransaction(record, (signature) => `https://explorer.example/${signature}`)['status'];
}

describe('an order in history', () => {
  it('that filled nothing is cancelled', () => {
    expect(statusOf(CANCELLED, 'confirmed')).toBe('cancelled');
  });

  it('that filled something is confirmed', () => {
    expect(statusOf(ORDER, 'confirmed')).toBe('confirmed');
  });

  it.each(['pending', 'submitted', 'failed', 'rejected_by_policy'])('that is %s stays so', (status) => {
    expect(statusOf(CANCELLED, status)).toBe(status);
  });
});
