import { describe, expect, it } from '@jest/globals';
import { findCredits, findFormerAccounts, type TokenBalance, type TransactionEffects } from './find-credits.js';

const OWN = {
  agents: new Map([
    ['agent', 'id'],
    ['other', 'id2'],
  ]),
  operators: new Set(['sponsor']),
};

/** Lamports before and after by address; the first `signers` of them sign, and the first pays 5 a signature. */
function landed(
  lamports: Readonly<Record<string, readonly [number, number]>>,
  over: Partial<TransactionEffects> & { readonly signers?: number } = {},
): TransactionEffects {
  const { signers = 1, ...rest } = over;
  return {
    error: null,
    feeLamports: BigInt(5 * signers),
    signatures: Array.from({ length: signers }, (_, i) => `signature ${i}`),
    addresses: Object.keys(lamports),
    preBalances: Object.values(lamports).map(([before]) => BigInt(before)),
    postBalances: Object.values(lamports).map(([, after]) => BigInt(after)),
    preTokenBalances: [],
    postTokenBalances: [],
    ...rest,
  };
}

const tokens = (account: string, owner: string | null, amount: bigint, mint = 'mint'): TokenBalance => ({
  account,
  mint,
  owner,
  amount,
  decimals: 6,
});
const brief = (tx: TransactionEffects) =>
  findCredits(tx, OWN).map(({ account, amount, sender }) => [account, amount, sender]);

describe('the sender of lamports', () => {
  it('is the only one that lost more than the network fee', () => {
    expect(brief(landed({ from: [100, 45], agent: [0, 50] }))).toEqual([['agent', 50n, 'from']]);
    expect(brief(landed({ payer: [100, 90], from: [50, 0], agent: [0, 50] }, { signers: 2 }))).toEqual([
      ['agent', 50n, 'from'],
    ]);
  });

  it('is unknown where several paid', () => {
    expect(brief(landed({ payer: [100, 60], from: [50, 0], agent: [0, 80] }, { signers: 2 }))).toEqual([
      ['agent', 80n, ''],
    ]);
  });
});

describe('a credit of tokens', () => {
  const plain = { payer: [100, 95], agent: [1, 1] } as const;
  const over = (preTokenBalances: TokenBalance[], postTokenBalances: TokenBalance[]) =>
    brief(landed(plain, { preTokenBalances, postTokenBalances }));

  it('is what the account has more than before, from the only one that has less', () => {
    const before = [tokens('a', 'agent', 3n), tokens('b', 'from', 10n)];
    expect(over(before, [tokens('a', 'agent', 9n), tokens('b', 'from', 3n)])).toEqual([['a', 6n, 'from']]);
  });

  it('in an account that was given with all that was in it is all of that', () => {
    expect(over([tokens('a', 'from', 4n)], [tokens('a', 'agent', 4n)])).toEqual([['a', 4n, '']]);
  });

  it('is none when nothing is more, when the owner is not known, and for what moved between own accounts', () => {
    expect(over([tokens('a', 'agent', 4n)], [tokens('a', 'agent', 4n)])).toEqual([]);
    expect(over([], [tokens('a', null, 4n)])).toEqual([]);
    const own = landed(
      { agent: [100, 95] },
      { preTokenBalances: [tokens('a', 'agent', 4n)], postTokenBalances: [tokens('b', 'agent', 4n)] },
    );
    expect(brief(own)).toEqual([]);
  });
});

describe('an account that was an agent’s', () => {
  const over = (postTokenBalances: TokenBalance[], error: string | null = null, signer = 'agent') => {
    const preTokenBalances = ['agent', 'from', null].map((owner, i) => tokens('abc'[i]!, owner, 4n));
    const lamports = { [signer]: [100, 95], agent: [1, 1] } as const;
    return findFormerAccounts(landed(lamports, { preTokenBalances, postTokenBalances, error }), OWN.agents);
  };
  const former = [{ agentId: 'id', wallet: 'agent', address: 'a' }];

  it('is one that it closed or gave away', () => {
    expect(over([])).toEqual(former);
    expect(over([tokens('a', 'from', 4n)])).toEqual(former);
  });

  it('is none that stays, was closed by another, or took part in what failed', () => {
    expect(over([tokens('a', 'agent', 0n)])).toEqual([]);
    expect(over([], null, 'from')).toEqual([]);
    expect(over([], '"x"')).toEqual([]);
  });
});

describe('who signed', () => {
  it.each([
    ['a stranger', ['from'], ['agent', 'other']],
    ['the agent itself', ['agent'], ['other']],
    ['another agent', ['other'], ['agent']],
    ['another agent and the sponsor', ['sponsor', 'other'], ['agent']],
    ['the agent and the sponsor', ['sponsor', 'agent'], ['other']],
    ['the sponsor', ['sponsor'], []],
    ['the sponsor and a stranger', ['sponsor', 'from'], []],
  ])('%s', (_, signers, receiving) => {
    const rest = ['agent', 'other'].filter((name) => !signers.includes(name));
    const all = [...signers, ...rest].map((name) => [name, [50, 60]] as const);
    const tx = landed(Object.fromEntries(all), { signers: signers.length });
    expect(brief(tx).map(([account]) => account)).toEqual(receiving);
  });

  it('matters not for what failed', () => {
    expect(brief(landed({ from: [100, 45], agent: [0, 50] }, { error: '"x"' }))).toEqual([]);
  });
});
