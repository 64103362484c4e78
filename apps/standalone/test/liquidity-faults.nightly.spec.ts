import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AddOrder, AdditionResult, AgentClient, ClientResponse, RemovalResult } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, liquidityRecords, movedSince, movementOf, SOL_USDC } from './harness/liquidity.js';
import { untilFinal } from './harness/responses.js';
import { usageOf, usedWhenQuiet } from './harness/spending.js';
import { type Holdings, holdingsOf, landedCount } from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  // A chain that moves fast, so that a transaction dies within seconds, and that has confirmed and finalized apart.
  deployment = await shareDeployment({ slotMs: 20 });
});

afterEach(() => deployment.sandbox.disarm());

const ADD: AddOrder = { pool: SOL_USDC, token: 'USDC', amount: 9 };
const REMOVE = { positionId: SOL_USDC, percent: 60 };

interface Before extends Holdings {
  readonly landed: number;
  readonly used: bigint;
}

/** An agent with a position. */
async function provider(): Promise<{ agent: AgentClient; before: Before }> {
  const agent = await deployment.agent({ SOL: 2, USDC: 100 });
  const added = await untilFinal(() => agent.addLiquidity(ADD, 'the-first'), 90_000);
  if (added.status !== 200) doneOf(await agent.addLiquidity(ADD));
  return { agent, before: await stateOf(agent) };
}

async function stateOf(agent: AgentClient): Promise<Before> {
  const used = await usedWhenQuiet(agent);
  return { ...(await holdingsOf(deployment, agent)), landed: await landedCount(deployment, agent), used };
}

type Answer = ClientResponse<AdditionResult | RemovalResult>;

const ACTIONS: ReadonlyArray<readonly [string, (agent: AgentClient) => Promise<Answer>]> = [
  ['addition', (agent) => agent.addLiquidity(ADD, 'the-key')],
  ['removal', (agent) => agent.removeLiquidity(REMOVE, 'the-key')],
];

/** The action happened once as it is answered, or nothing did. */
async function expectTruth(agent: AgentClient, before: Before, answer: Answer, isBehind = false): Promise<void> {
  if (answer.status !== 200) {
    // A 5xx says that nothing moved and nothing will; a busy machine may need longer than this fast chain lets it live. A
    // node that lags does not know the money yet.
    expect(answer.status >= 500 || (isBehind && answer.status === 400)).toBe(true);
    return expect(await stateOf(agent)).toEqual(before);
  }
  const done = doneOf(answer);
  expect(await movedSince(deployment, agent, before)).toEqual(movementOf(done));
  const after = await stateOf(agent);
  expect(after.landed).toBe(before.landed + 1);
  expect(after.used === before.used).toBe('received' in done);
}

describe.each(ACTIONS)('faults of the chain that an %s survives', (_, ask) => {
  it.each([
    ['landThenFailReply', { match: { method: 'sendTransaction' } }],
    ['error429', { times: 3 }],
    ['error500', { times: 3 }],
    ['delay', { delayMs: 1_500 }],
    ['lagStatus', { times: 20, delayMs: 2_000 }],
    ['lagStatus', { times: 20, delayMs: 2_000, match: { method: 'getSignatureStatuses' } }],
  ])('%s %j: it happened once, or nothing did, and the answer is true', async (fault, more) => {
    const { agent, before } = await provider();
    await deployment.sandbox.arm({ part: 'chain', fault, ...more });
    const isBehind = fault === 'lagStatus' && !('match' in more);
    await expectTruth(agent, before, await untilFinal(() => ask(agent), 90_000), isBehind);
  });
});

describe.each(ACTIONS)('an %s that is lost', (name, ask) => {
  it.each(['drop', 'expireBlockhash'])(
    'by %s ends as expired; nothing moved, and nothing stays reserved',
    async (fault) => {
      const { agent, before } = await provider();
      await deployment.sandbox.arm({ part: 'chain', fault, match: { address: agent.address } });
      const first = await ask(agent);
      if (first.status === 202) expect((await usageOf(agent)).reserved > 0n).toBe(name === 'addition');
      const answer = [202, 409].includes(first.status) ? await untilFinal(() => ask(agent), 90_000) : first;
      expect(answer).toMatchObject({ status: 504, body: { data: { code: 'TRANSACTION_EXPIRED', retryable: true } } });
      expect(await stateOf(agent)).toEqual(before);
      await eventually(
        () => liquidityRecords(agent),
        (records) => records.some(({ status }) => status === 'expired'),
      );
    },
  );
});
