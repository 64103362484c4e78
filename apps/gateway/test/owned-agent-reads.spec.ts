import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OWNED_AGENT_READS } from '../src/api/owned-agent-reads.js';
import { expectFailure } from './expect-failure.js';
import type { Reply } from './client.js';
import { RECIPIENT } from './default-script.js';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { World } from './world.js';

let world: World;
let fake: FakeOwners;
let browser: Browser;
let people = 0;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
  browser = new Browser(world.client.from(`10.8.0.${people}`));
});

const TRANSACTION = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

/** Logs an owner in and gives them an agent. */
async function ownedAgent() {
  const agent = await world.login();
  const ownerId = await browser.openWithPasskey(world, `reader${people}@example.com`);
  fake.agents.push({ ownerId, agentId: agent.agentId });
  return agent;
}

/** Reads of agents, and the owners' of the same. */
const SAME: ReadonlyArray<readonly [own: string, below: string]> = [
  ['/wallets/me/balances', 'balances'],
  ['/wallets/me/policy', 'policy'],
  ['/wallets/me/history?limit=7', 'history?limit=7'],
  [`/wallets/me/history/${TRANSACTION}`, `history/${TRANSACTION}`],
  ['/wallets/me/history/proof', 'history/proof'],
  ['/liquidity/positions', 'liquidity/positions'],
  ['/predictions/positions?settled=false', 'predictions/positions?settled=false'],
  ['/predictions/orders', 'predictions/orders'],
  ['/predictions/balance', 'predictions/balance'],
];

/** Data of a response, but for the ids that the fakes choose for each. */
function shownOf({ body: { data } }: Reply): unknown {
  return JSON.parse(JSON.stringify(data).replace(/("(?:id|requestId|eventId|lastEventId)":)"[^"]*"/g, '$1"some id"'));
}

describe('an owner', () => {
  it.each(SAME)('reads what the agent reads at %s, to the byte', async (own, below) => {
    const agent = await ownedAgent();
    const [byOwner, byAgent] = [
      await browser.get(`/owner/agents/${agent.agentId}/${below}`),
      await agent.client.get(own),
    ];
    expect([byOwner.status, shownOf(byOwner)]).toEqual([byAgent.status, shownOf(byAgent)]);
  });

  it('reads the agent with its freezes and its policy', async () => {
    const agent = await ownedAgent();
    const { body } = await browser.get(`/owner/agents/${agent.agentId}`);
    expect(body.data).toMatchObject({
      agent: { id: agent.agentId, email: agent.email, role: 'owner' },
      freezes: [{ source: 'operator', everyAgent: true, reason: 'drill' }],
      policy: { policy: { dailyLimitInUsd: 500 } },
    });
    expect(JSON.stringify(body)).not.toContain('sre@example.com');
  });

  it('reads when counted value leaves the day, whom the agent has paid, and its sessions', async () => {
    const agent = await ownedAgent();
    const read = async (below: string) => (await browser.get(`/owner/agents/${agent.agentId}/${below}`)).body.data;
    expect((await read('usage')).window).toEqual([
      { since: '2025-11-21T10:00:00.000Z', leavesAt: '2025-11-22T10:00:00.000Z', usd: 64.1 },
    ]);
    expect((await read('recipients')).recipients).toEqual([
      {
        address: RECIPIENT,
        firstPaidAt: '2025-11-21T10:00:00.000Z',
        listedAt: null,
        trust: 'daily_amount',
        signedAt: '2025-11-21T10:00:00.000Z',
        dailyAmount: { mint: 'native', amount: '5' },
        knownAt: '2025-11-21T10:00:00.000Z',
      },
    ]);
    expect((await read('sessions')).sessions).toMatchObject([{ current: false }]);
  });
});

const OF_AGENTS = OWNED_AGENT_READS.map(({ path }) => path).filter((path) => path.includes('{agentId}'));

describe('of an agent of others', () => {
  it.each(OF_AGENTS)('%s is not found, and nothing is read', async (path) => {
    const agent = await world.login();
    await browser.openWithPasskey(world, `other${people}@example.com`);
    const concrete = path.replace('{agentId}', agent.agentId).replace('{transactionId}', TRANSACTION);
    expectFailure(await browser.get(concrete), 404, 'NOT_FOUND');
    expectFailure(await browser.get(path.replace('{agentId}', 'me').replace('{transactionId}', 'x')), 404, 'NOT_FOUND');
  });

  it.each(OWNED_AGENT_READS.map(({ path }) => path))('%s needs an owner’s session, not a token', async (path) => {
    const agent = await world.login();
    const concrete = path.replace('{agentId}', agent.agentId).replace('{transactionId}', TRANSACTION);
    expectFailure(await agent.client.get(concrete), 401, 'AUTHENTICATION_ERROR');
  });
});
