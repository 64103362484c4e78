import { createOutbox } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { inRequest } from '@agent-wallet/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresTokenStore } from '../src/adapters/postgres-token-store.js';
import { OpenToken } from '../src/application/tokens/manage-tokens.js';
import { OwnersUnderTest } from './owners-under-test.js';
import { authorization, newWallet, type PolicyClient, transferIntent } from './service.js';

const USD = 1_000_000n;
const TOO_MANY = { code: 'POLICY_VIOLATION', data: { rule: 'too_many_approvals' } };
const SESSION = undefined;
const DAY_MS = 86_400_000;

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let tokens: PostgresTokenStore;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
  tokens = new PostgresTokenStore(policy.database.policy, createOutbox('policy', { nowMs: () => 0 }));
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  await policy.newClaim();
});

async function openToken(): Promise<string> {
  const tokenId = newId();
  const grant = { name: 'An app', scopes: ['transfer', 'propose'], expiresAtMs: Date.now() + DAY_MS };
  await new OpenToken(tokens).execute({ agentId: policy.agentId, tokenId }, grant);
  return tokenId;
}

/** Proposes a change, which waits for the owner. */
let proposed = 600n;
const propose = (tokenId: string | undefined) =>
  inRequest({ requestId: newId(), askedBy: 'agent', loggedInAtMs: Date.now(), tokenId }, () =>
    policy.propose({ dailyLimitUsdMicros: (proposed += 1n) * USD }),
  );

/** Asks for a payment, which waits for the owner. */
async function pay(tokenId: string | undefined): Promise<unknown> {
  const { request } = authorization(policy.agentId, transferIntent(newWallet().address, { amount: 2n * USD }));
  if (tokenId !== undefined) await tokens.bind({ agentId: policy.agentId, tokenId }, request.operationId);
  return wallet.authorize(request).catch((error: unknown) => {
    if (!isRequired(error)) throw error;
  });
}

const isRequired = (error: unknown) => (error as { code?: string }).code === 'APPROVAL_REQUIRED';

/** Asks until it is refused. @returns how often it was not */
async function countUntilRefused(ask: () => Promise<unknown>): Promise<number> {
  for (let count = 0; ; count += 1) {
    try {
      await ask();
    } catch (error) {
      expect(error).toMatchObject(TOO_MANY);
      return count;
    }
  }
}

describe.each([
  ['proposals', 5, propose, [2, 1, 1]],
  ['payments', 20, pay, [10, 5, 2, 1, 1]],
])('pending %s of an agent', (_, places, ask, shares) => {
  beforeEach(() => policy.change({ approveAbove: { usdMicros: USD } }));

  it('leave as many places free as a scoped token holds, and the last to the sessions', async () => {
    const held: number[] = [];
    for (;;) {
      const tokenId = await openToken();
      const count = await countUntilRefused(() => ask(tokenId));
      if (count === 0) break;
      held.push(count);
    }
    const byTokens = held.reduce((sum, count) => sum + count, 0);
    expect(held).toEqual(shares);
    expect(await countUntilRefused(() => ask(SESSION))).toBe(places - byTokens);
    expect(byTokens).toBeLessThan(places);
  });

  it('are all those of its sessions where no token asks', async () => {
    expect(await countUntilRefused(() => ask(SESSION))).toBe(places);
  });
});

describe('proposals of a day', () => {
  it('are at most half by one scoped token, and the sessions propose afterwards', async () => {
    const tokenId = await openToken();
    const proposeAndWithdraw = async (by: string | undefined) => {
      const { approvalId } = await propose(by);
      await policy.owners.closeApproval({ approvalId, by: { $case: 'agentId', value: policy.agentId } });
    };
    expect(await countUntilRefused(() => proposeAndWithdraw(tokenId))).toBe(25);
    expect(await countUntilRefused(() => proposeAndWithdraw(SESSION))).toBe(25);
  });
});
