import { forEachPolicyField, type PolicyValues } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { policyWarnings } from './policy-response.js';

const POLICY = forEachPolicyField(({ initial }) => initial) as PolicyValues;
const LIST = ['KX'];
const TRADES = 'recipients_do_not_limit_trades';
const BETS = 'recipients_do_not_limit_bets';

const warned = (change: Partial<PolicyValues>) =>
  policyWarnings({ ...POLICY, ...change }) as { readonly code: string; readonly message: string }[];
const codes = (change: Partial<PolicyValues>) => warned(change).map(({ code }) => code);

const RULES: [string, Partial<PolicyValues>][] = [
  ['a list of recipients', { allowedRecipients: ['a wallet'] }],
  ['approval of new recipients', { newRecipients: 'approve' }],
  ['refusal of new recipients', { newRecipients: 'deny' }],
];

describe.each(RULES)('%s', (_, rule) => {
  it.each<[string, Partial<PolicyValues>, string[]]>([
    ['no list of what is acquired', {}, [TRADES, BETS]],
    ['a list of tokens alone', { allowedTokens: LIST }, [BETS]],
    ['a list of markets alone', { allowedMarkets: LIST }, [TRADES]],
    ['trading switched off alone', { allowTrading: false }, [BETS]],
    ['prediction markets switched off alone', { allowPredictionMarkets: false }, [TRADES]],
    ['both lists', { allowedTokens: LIST, allowedMarkets: LIST }, []],
    ['a list of markets, and no trading', { allowTrading: false, allowedMarkets: LIST }, []],
    ['a list of tokens, and no prediction markets', { allowedTokens: LIST, allowPredictionMarkets: false }, []],
    ['both switches off', { allowTrading: false, allowPredictionMarkets: false }, []],
  ])('with %s has a warning of each open exit', (__, change, expected) => {
    expect(codes({ ...rule, ...change })).toEqual(expected);
  });
});

describe('a warning', () => {
  it('says what to set', () => {
    const [trades, bets] = warned({ newRecipients: 'deny' });
    expect(trades?.message).toMatch(/set allowedTokens, or switch off allowTrading\.$/);
    expect(bets?.message).toMatch(/set allowedMarkets, or switch off allowPredictionMarkets\.$/);
  });

  it('of exits is absent where recipients are free', () => {
    expect(codes({})).toEqual([]);
  });
});
