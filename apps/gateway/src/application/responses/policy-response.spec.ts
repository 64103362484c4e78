import { policyV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { policyWarnings } from './policy-response.js';

const POLICY: policyV1.Policy = {
  ...policyV1.Policy.decode(Buffer.alloc(0)),
  allowedRecipients: ['a wallet'],
  allowTrading: true,
  allowPredictionMarkets: true,
};
const LIST = { entries: ['KX'] };

const warned = (change: Partial<policyV1.Policy>) => policyWarnings({ ...POLICY, ...change });

describe('a list of recipients', () => {
  it.each<[string, Partial<policyV1.Policy>]>([
    ['no list of what is acquired', {}],
    ['a list of tokens alone', { allowedTokens: LIST }],
    ['a list of markets alone', { allowedMarkets: LIST }],
  ])('with %s has a warning that trades and buys stay open', (_, change) => {
    expect(warned(change)).toMatchObject([{ code: 'recipients_do_not_limit_trades' }]);
  });

  it.each<[string, Partial<policyV1.Policy>]>([
    ['both lists', { allowedTokens: LIST, allowedMarkets: LIST }],
    ['a list of markets, and no trading', { allowTrading: false, allowedMarkets: LIST }],
    ['a list of tokens, and no prediction markets', { allowedTokens: LIST, allowPredictionMarkets: false }],
    ['both switches off', { allowTrading: false, allowPredictionMarkets: false }],
  ])('with %s has no such warning', (_, change) => {
    expect(warned(change)).toEqual([]);
  });
});
