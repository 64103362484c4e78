import { beforeAll, afterAll, expect, it } from '@jest/globals';
import { type AgentClient, callJson } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { openSuperuser, type Superuser } from './harness/superuser.js';

let deployment: Deployment;
let superuser: Superuser;
let agents: readonly AgentClient[];

beforeAll(async () => {
  deployment = await deploy();
  superuser = await openSuperuser(deployment);
  agents = await Promise.all(Array.from({ length: 4 }, () => deployment.agent({ SOL: 1, USDC: 100 })));
});

afterAll(async () => {
  await superuser?.close();
  await deployment?.stop();
});

function get({ baseUrl, token }: AgentClient, route: string) {
  return callJson<unknown>(`${baseUrl}${route}`, { headers: { authorization: `Bearer ${token}` } });
}

/** Every kind of request of an agent, each with a statement of its own in some service. */
async function round(agent: AgentClient): Promise<number[]> {
  const order = { to: newRecipient(), amount: 0.001 };
  const replies = [
    await agent.balances(),
    await agent.transfer(order),
    await agent.dryTransfer(order),
    await agent.trade({ from: 'USDC', to: 'SOL', amount: 0.1 }),
    await agent.patchPolicy({ dailyLimitInUsd: 500 }),
    await get(agent, '/predictions/orders'),
    await get(agent, '/predictions/positions'),
    await get(agent, '/wallets/me/history'),
    await get(agent, '/wallets/me/history/proof'),
    await get(agent, '/wallets/me/approvals'),
  ];
  return replies.map(({ status }) => status);
}

it('no request fails while each table of running services gets a column', async () => {
  const tables = await superuser.rows<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  expect(tables.length).toBeGreaterThan(40);
  // Every connection has prepared its statements.
  for (let n = 0; n < 5; n += 1) await Promise.all(agents.map(round));
  let isAdding = true;
  const load = agents.map(async (agent) => {
    const statuses: number[] = [];
    while (isAdding) statuses.push(...(await round(agent)));
    return [...statuses, ...(await round(agent))];
  });
  try {
    for (const { name } of tables) await superuser.rows(`alter table ${name} add column added_by_a_test integer`);
  } finally {
    isAdding = false;
  }
  const statuses = (await Promise.all(load)).flat();
  expect(statuses.length).toBeGreaterThan(50);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
