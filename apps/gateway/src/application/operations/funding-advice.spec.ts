import { AppError, insufficientFunds } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../ports/session-store.js';
import { FundingAdvice } from './funding-advice.js';

const SOL = { symbol: 'SOL', mint: '', decimals: 9, available: 0n };
const USDC = { symbol: 'USDC', mint: 'EPjF', decimals: 6, available: 40_000_000n };

const agent = async () => ({ address: '8dPB' }) as Agent;

async function adviceOn(error: AppError, sandboxAdminUrl?: string, agentById = agent) {
  return (await new FundingAdvice({ sessions: { agentById }, sandboxAdminUrl }).adviseOn(error, 'agent')).data
    .suggestion;
}

describe('advice on a lack of funds', () => {
  it('names the missing amount and the address', async () => {
    const suggestion = 'Send at least 24.1 USDC to the wallet 8dPB, or try a smaller amount.';
    expect(await adviceOn(insufficientFunds(USDC, 64_100_000n))).toBe(suggestion);
  });

  it('of SOL says what else takes SOL', async () => {
    expect(await adviceOn(insufficientFunds(SOL, 2_044_280n))).toBe(
      'Send at least 0.00204428 SOL to the wallet 8dPB, or try a smaller amount. ' +
        'SOL also pays network fees and the rent of new accounts.',
    );
  });

  it('in the sandbox names the faucet', async () => {
    const suggestion = await adviceOn(insufficientFunds(USDC, 64_100_000n), 'http://127.0.0.1:8090');
    expect(suggestion).toMatch(/ Test money: POST http:\/\/127\.0\.0\.1:8090\/faucet\.$/);
  });

  it('keeps what the service advises, and adds the address', async () => {
    const data = { asset: 'SOL', suggestion: 'Send at least 0.1 SOL to the wallet, and try again.' };
    expect(await adviceOn(new AppError('INSUFFICIENT_FUNDS', { data }))).toBe(`${data.suggestion} The wallet is 8dPB.`);
  });

  it.each([
    ['of the prediction balance', insufficientFunds(USDC, 64_100_000n, 'the prediction balance')],
    ['with another code', new AppError('NO_ROUTE')],
  ])('leaves a failure %s as it is', async (_, error) => {
    expect(await adviceOn(error)).toBeUndefined();
  });

  it('does without the address while the database is away', async () => {
    const away = () => Promise.reject(new Error('no database'));
    expect(await adviceOn(insufficientFunds(SOL, 5_000n), undefined, away)).toBeUndefined();
  });
});
