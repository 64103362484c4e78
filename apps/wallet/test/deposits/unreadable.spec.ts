import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CountingServer, openCountingServer } from './counting-server.js';
import { lamports } from './sandbox.js';
import { DepositWorld, type TestAgent } from './world.js';

const UNSUPPORTED_VERSION = -32015;

let world: DepositWorld;
let door: CountingServer;
/** Signatures that the node refuses to show. */
const refused = new Set<string>();
let refusals = 0;

beforeAll(async () => {
  world = await DepositWorld.open();
  door = await openCountingServer(world.sandbox.rpcUrl, ({ method, params }) => {
    if (method !== 'getTransaction' || !refused.has(String(params[0]))) return undefined;
    refusals += 1;
    return UNSUPPORTED_VERSION;
  });
});
afterEach(async () => {
  refused.clear();
  refusals = 0;
  await world.forget();
});
afterAll(async () => {
  await world?.close();
  await door?.close();
});

/** Sends lamports in a transaction that the node will refuse to show. */
async function sendUnreadable(agent: TestAgent): Promise<string> {
  const sender = await world.sandbox.stranger(['SOL', 1]);
  const signature = await world.sandbox.send([sender], lamports(sender, agent.publicKey, 1_000_000));
  refused.add(signature);
  return signature;
}

const noted = async () => {
  const { rows } = await world.database.pool.query<{ signature: string; retries: number }>(
    'select signature, retries from unreadable_transactions',
  );
  return rows;
};

describe('a transaction that the node refuses to show', () => {
  it('is read once by the reader of its account, which goes on', async () => {
    const agent = await world.agent();
    const signature = await sendUnreadable(agent);
    world.watch({ rpcUrl: door.url, timing: { unreadableRetryMs: 3_600_000 } });
    await world.sandbox.faucet(agent.address, 'SOL', 0.5);
    await world.confirmed(agent, 1);
    await world.sandbox.finalize();
    await world.quiet(agent);
    expect(await noted()).toEqual([{ signature, retries: 0 }]);
    expect(refusals).toBe(1);
    await world.database.pool.query('delete from unreadable_transactions');
  });

  it('becomes a deposit once the node shows it, and its note is removed', async () => {
    const agent = await world.agent();
    const signature = await sendUnreadable(agent);
    world.watch({ rpcUrl: door.url });
    const [first] = await eventually(noted, (rows) => (rows[0]?.retries ?? 0) >= 2);
    expect(first!.signature).toBe(signature);
    expect(await world.shown(agent)).toEqual([]);
    refused.clear();
    await world.sandbox.finalize();
    expect(await world.confirmed(agent, 1)).toMatchObject([{ signature, amount: 1_000_000n, status: 'confirmed' }]);
    await eventually(noted, (rows) => rows.length === 0);
  });
});
