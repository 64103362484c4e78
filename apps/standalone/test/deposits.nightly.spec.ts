import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, HistoryRecord } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { random } from './harness/random.js';

const SEED = 20_261_121;
const AGENTS = 5;
const DEPOSITS = 500;
const KILLS = 8;
const AT_ONCE = 10;

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ slotMs: 20 });
});

/** All deposits in an agent's history, and the total that it claims. */
async function depositsOf(agent: AgentClient): Promise<{ records: HistoryRecord[]; total: number }> {
  const records: HistoryRecord[] = [];
  for (;;) {
    const { body, status } = await agent.history('deposit', records.length);
    if (status !== 200) return { records: [], total: -1 };
    records.push(...body.data.transactions);
    const { total } = body.data.pagination;
    if (records.length >= total || body.data.transactions.length === 0) return { records, total };
  }
}

const sortedTexts = (records: ReadonlyArray<Pick<HistoryRecord, 'asset' | 'amount'>>) =>
  records.map(({ asset, amount }) => `${amount} ${asset}`).sort();

describe(`${DEPOSITS} deposits while wallet and history are killed at random`, () => {
  it(`show once each, with their amounts (seed ${SEED})`, async () => {
    const dice = random(SEED);
    const agents = await Promise.all(Array.from({ length: AGENTS }, () => deployment.agent({})));
    const orders = Array.from({ length: DEPOSITS }, (_, i) => ({
      to: dice(AGENTS),
      asset: dice(2) === 0 ? 'SOL' : 'USDC',
      // No two are alike.
      amount: (1_000 + i) / 100_000,
    }));
    const waiting = [...orders];
    const send = async (): Promise<void> => {
      for (let order = waiting.pop(); order; order = waiting.pop()) {
        await deployment.sandbox.faucet(agents[order.to]!.address, order.asset, order.amount);
      }
    };
    const sending = Promise.all(Array.from({ length: AT_ONCE }, send));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = dice(3) === 0 ? 'history-0' : 'wallet-0';
      await new Promise((resolve) => setTimeout(resolve, dice(1_500)));
      await deployment.kill(victim);
      await deployment.restart(victim);
    }
    await sending;
    for (const [i, agent] of agents.entries()) {
      const expected = orders.filter(({ to }) => to === i);
      const { records, total } = await eventually(
        () => depositsOf(agent),
        (found) => found.records.filter(({ status }) => status === 'confirmed').length >= expected.length,
        40_000,
      );
      expect(total).toBe(expected.length);
      expect(sortedTexts(records)).toEqual(sortedTexts(expected));
      expect(new Set(records.map(({ id }) => id)).size).toBe(expected.length);
      expect(new Set(records.map(({ signature }) => signature)).size).toBe(expected.length);
    }
  });
});

describe('a transfer between agents', () => {
  it('is a transfer of the one and a deposit of the other', async () => {
    // A transaction lives for a minute here, so that none expires on a busy machine.
    const deployment = await shareDeployment();
    const [from, to] = [await deployment.agent({ SOL: 1, USDC: 20 }), await deployment.agent({ SOL: 1 })];
    const sent = await from.transfer({ to: to.address, amount: 7, mint: 'USDC' }, 'between-agents');
    expect([200, 202]).toContain(sent.status);
    const { records } = await eventually(
      () => depositsOf(to),
      (found) => found.records.filter(({ status }) => status === 'confirmed').length === 2,
    );
    expect(records).toHaveLength(2);
    expect(records.find(({ asset }) => asset === 'USDC')).toMatchObject({ amount: 7, to: to.address });
    const own = await eventually(
      () => depositsOf(from),
      (found) => found.records.filter(({ status }) => status === 'confirmed').length === 2,
    );
    expect(sortedTexts(own.records)).toEqual(['1 SOL', '20 USDC']);
  });
});
