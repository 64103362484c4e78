import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { OwnerConsole } from '../src/testing/owner-console.js';
import { addMarket, costOf, doneOf, heldAtExchange, usdcOf } from './harness/predicting.js';
import { atOnce, untilFinal } from './harness/responses.js';
import { expectUsed, usageOf } from './harness/spending.js';

// Two of every service.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const FUNDS = 100_000_000n;
const WAITING = { transactionStatus: 'awaiting_approval', reasons: ['above_amount'] };

interface Asked {
  readonly agent: AgentClient;
  readonly owner: OwnerConsole;
  readonly ticker: string;
  readonly approvalId: string;
  /** Repeats the buy with the same key, at any copy. */
  readonly buy: (at?: AgentClient) => ReturnType<AgentClient['predictions']['buy']>;
}

/** Ten contracts for up to 67 cents each, which wait for an owner who is asked above five dollars. */
async function asked(): Promise<Asked> {
  const agent = await deployment.agent({ SOL: 1, USDC: 100 });
  const owner = await OwnerConsole.claiming(deployment, agent);
  expect((await agent.patchPolicy({ approveAboveInUsd: 5 })).status).toBe(200);
  const ticker = await addMarket(deployment);
  const key = randomUUID();
  const order = { ticker, side: 'yes' as const, count: 10 };
  const buy = (at = agent) => at.predictions.buy(order, key);
  const answer = await buy();
  expect(answer).toMatchObject({ status: 202, body: { data: WAITING } });
  const { approvalId } = answer.body.data as unknown as { approvalId: string };
  return { agent, owner, ticker, approvalId, buy };
}

const decided = async ({ owner, approvalId }: Asked, decision: 'approve' | 'reject') =>
  decision === 'approve'
    ? (await owner.approve({ id: approvalId })).body.data.approval.state
    : (await owner.call(`/approvals/${approvalId}/reject`, {})).body.data.approval.state;

describe('a buy above the owner’s amount', () => {
  it('waits for a signature, and then happens once, at every copy', async () => {
    const all = await asked();
    const { agent, owner, ticker, buy } = all;
    expect((await buy()).body.data).toMatchObject(WAITING);
    expect(await usageOf(agent)).toEqual({ used: 0n, reserved: 0n });
    expect(await usdcOf(deployment, agent)).toBe(FUNDS);
    const { document } = (await owner.call(`/approvals/${all.approvalId}`)).body.data;
    const { action, terms } = JSON.parse(document) as { readonly action: string; readonly terms: object };
    expect(action).toBe('prediction_buy');
    expect(terms).toMatchObject({ ticker, side: 'yes', count: '10', maxPriceUsd: '0.67' });
    expect(await decided(all, 'approve')).toBe('approved');
    const copies = [agent, agent.at(deployment.url(1))];
    await atOnce(10, copies, async (caller) => (await untilFinal(() => buy(caller))).status);
    const bought = doneOf(await untilFinal(() => buy()));
    expect(bought).toMatchObject({ count: 10, status: 'filled', pricePerContract: 65 });
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));
    expect(await heldAtExchange(deployment, ticker)).toBe(10);
    await expectUsed(agent, costOf(bought));
    expect((await owner.call(`/approvals/${all.approvalId}`)).body.data).toMatchObject({ approval: { state: 'used' } });
  });

  it('that the owner rejects moves nothing, and history says who', async () => {
    const all = await asked();
    expect(await decided(all, 'reject')).toBe('rejected');
    const refused = await untilFinal(() => all.buy());
    expect(refused).toMatchObject({ status: 403, body: { data: { code: 'APPROVAL_REJECTED', retry: 'never' } } });
    expect(await usdcOf(deployment, all.agent)).toBe(FUNDS);
    const [record] = await eventually(
      async () => (await all.agent.history('prediction_buy')).body.data.transactions,
      ([found]) => found?.status === 'rejected_by_owner',
    );
    expect(record).toMatchObject({ action: 'prediction_buy', signature: null });
  });

  it('whose market is dearer than what was signed buys nothing', async () => {
    const all = await asked();
    await deployment.sandbox.setBook(all.ticker, { yesBids: [[60, 500]], noBids: [[30, 500]] });
    expect(await decided(all, 'approve')).toBe('approved');
    const bought = doneOf(await untilFinal(() => all.buy()));
    expect(bought).toMatchObject({ status: 'cancelled', count: 0, signature: null });
    expect(await usdcOf(deployment, all.agent)).toBe(FUNDS);
    await expectUsed(all.agent, 0n);
  });

  it('waits as its dry run says, and not below the amount', async () => {
    const { agent, ticker } = await asked();
    const order = { ticker, side: 'yes' as const };
    const { policy } = (await agent.predictions.dryBuy({ ...order, count: 10 })).body.data;
    expect(policy).toMatchObject({ allowed: true, approvalRequired: true, approvalReasons: ['above_amount'] });
    expect(doneOf(await agent.predictions.buy({ ...order, count: 2 }))).toMatchObject({ status: 'filled' });
  });
});
