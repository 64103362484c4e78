import { describe, expect, it } from '@jest/globals';
import { readInput } from './read-input.js';
import type { RouteContract } from './route.js';
import { ROUTES } from './routes.js';

const contract = (id: string): RouteContract => ROUTES.find((route) => route.id === id)!;

/** Returns the reason for which a route refuses a field. */
function reasonFor(id: string, input: { readonly body?: object; readonly query?: object }, field: string): string {
  try {
    readInput(contract(id), { body: {}, ...input });
  } catch (error) {
    const { details } = error as {
      readonly details: ReadonlyArray<{ readonly field: string; readonly reason: string }>;
    };
    return details.find((each) => each.field === field)?.reason ?? 'not named';
  }
  return 'accepted';
}

describe('an unknown field', () => {
  it.each([
    ['transfer', 'token', 'mint'],
    ['transfer', 'recipient', 'to'],
    ['transfer', 'ammount', 'amount'],
    ['transfer', 'amount_raw', 'amountRaw'],
    ['trade', 'inputMint', 'from'],
    ['trade', 'slippage', 'slippageBps'],
    ['buyContracts', 'quantity', 'count'],
    ['updatePolicy', 'dailyLimit', 'dailyLimitInUsd'],
  ])('of %s named %s suggests %s', (id, field, meant) => {
    const reason = reasonFor(id, { body: { [field]: 'x' } }, field);
    expect(reason).toBe(`is not a field of this request. Did you mean ${meant}?`);
  });

  it('without a near one lists the fields', () => {
    const reason = reasonFor('transfer', { body: { gasPrice: 1 } }, 'gasPrice');
    expect(reason).toBe('is not a field of this request. Use to, amount, amountRaw, mint, memo');
  });

  it('of the other part says where it belongs', () => {
    expect(reasonFor('transfer', { body: { dryRun: true } }, 'dryRun')).toBe(
      'is a query parameter. Send it as `?dryRun=…`',
    );
    expect(reasonFor('transfer', { query: { amount: '1' } }, 'amount')).toBe('is a field of the body. Send it there');
  });

  it.each(['constructor', '__proto__', 'toString'])('%s suggests nothing that objects inherit', (field) => {
    const body = JSON.parse(`{"${field}":1}`) as object;
    expect(reasonFor('transfer', { body }, field)).not.toContain('Did you mean');
  });
});
