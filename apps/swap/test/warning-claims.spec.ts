import { describe, expect, it } from '@jest/globals';
import { WarningClaims } from '../src/adapters/warning-claims.js';
import type { RequestClaim } from '../src/ports/request-budget.js';

const MINTS = ['one', 'other'];
const hog = { agentId: 'hog', isReal: true };

/** Returns a budget that lets the hog wait until it is refused, and decides on everyone else at once. */
function budgetOf(refuses: (agentId: string) => boolean = () => false) {
  const claims: RequestClaim[] = [];
  let refuse: () => void = () => {};
  const hogs = new Promise<void>((_, reject) => (refuse = () => reject(new Error('used up'))));
  hogs.catch(() => {});
  const take = (claim: RequestClaim) => {
    claims.push(claim);
    if (claim.agentId === 'hog') return hogs;
    return refuses(claim.agentId) ? Promise.reject(new Error('used up')) : Promise.resolve();
  };
  return { claims, take, refuse: () => refuse() };
}

describe('a claim of an agent that has used up its share', () => {
  it('costs those who waited for it one request for warnings together, once it is refused', async () => {
    const budget = budgetOf();
    const warnings = new WarningClaims(budget);
    const hogs = warnings.take(hog, MINTS).catch(() => 'refused');
    const others = Array.from({ length: 10 }, (_, i) => warnings.take({ agentId: `${i}`, isReal: true }, MINTS));
    budget.refuse();
    await hogs;
    await Promise.all(others);
    const claimed = budget.claims.filter(({ agentId }) => agentId !== 'hog');
    expect(claimed.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(11);
  });

  it('delays those who waited for no third refusal', async () => {
    const budget = budgetOf((agentId) => agentId === '0' || agentId === '1');
    const warnings = new WarningClaims(budget);
    const hogs = warnings.take(hog, MINTS).catch(() => 'refused');
    const others = Array.from({ length: 4 }, (_, i) => warnings.take({ agentId: `${i}`, isReal: true }, MINTS));
    budget.refuse();
    await hogs;
    const outcomes = await Promise.allSettled(others);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(budget.claims.map(({ agentId }) => agentId)).toEqual(['hog', '0', '1', '2', '3']);
  });
});
