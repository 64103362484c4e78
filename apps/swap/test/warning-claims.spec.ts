import { describe, expect, it } from '@jest/globals';
import { WarningClaims } from '../src/adapters/warning-claims.js';
import type { RequestClaim } from '../src/ports/request-budget.js';

const MINTS = ['one', 'other'];
const hog = { agentId: 'hog', isReal: true };

/** A budget that lets the hog wait for its turn, which comes after all others', and everyone else in at once. */
function budgetOf() {
  const claims: RequestClaim[] = [];
  let refuse: () => void = () => {};
  const hogs = new Promise<void>((_, reject) => (refuse = () => reject(new Error('used up'))));
  hogs.catch(() => {});
  const take = (claim: RequestClaim) => {
    claims.push(claim);
    return claim.agentId === 'hog' ? hogs : Promise.resolve();
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
});
