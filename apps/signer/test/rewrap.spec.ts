import { newId } from '@agent-wallet/kernel';
import { honestMessages } from '@agent-wallet/solana/corpus';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { environmentFor, type SignerProcess, startProcess } from './signer-process.js';
import {
  claimsFor,
  type Deployment,
  type KeysClient,
  NO_TABLES,
  openDeployment,
  permitOf,
  type SignerClient,
} from './support.js';

interface Agent {
  readonly agentId: string;
  readonly address: string;
}

let deployment: Deployment;
beforeEach(async () => {
  deployment = await openDeployment();
});
afterEach(() => deployment.close());

/** A few at a time: of many calls at once the last waits for all others, on a slow machine beyond its deadline. */
const MADE_AT_ONCE = 10;

async function makeAgents(wallet: SignerClient, count: number): Promise<Agent[]> {
  const agents: Agent[] = [];
  while (agents.length < count) {
    const ids = Array.from({ length: Math.min(MADE_AT_ONCE, count - agents.length) }, newId);
    const made = ids.map(async (agentId) => ({ agentId, ...(await wallet.createKey({ agentId })) }));
    agents.push(...(await Promise.all(made)));
  }
  return agents;
}

function sign(wallet: SignerClient, { agentId, address }: Agent, nowMs?: number) {
  const { message, intent } = honestMessages(address)[0]!;
  const issued = nowMs === undefined ? {} : { issuedAtMs: BigInt(nowMs) };
  const permit = permitOf(claimsFor(message, { agentId, intent, ...issued }));
  return wallet.sign({ ...NO_TABLES, message: Buffer.from(message), permit });
}

/** Signs repeatedly until it is stopped; returns the refusals. */
function keepSigning(wallets: readonly SignerClient[], agents: readonly Agent[]) {
  const refused: unknown[] = [];
  let signed = 0;
  let stopped = false;
  const running = wallets.map(async (wallet) => {
    while (!stopped) {
      for (const agent of agents) {
        await sign(wallet, agent).then(
          () => (signed += 1),
          (error: unknown) => refused.push(error),
        );
      }
    }
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
    return { signed, refused };
  };
  return { stop };
}

/** Moves everything, a page at a time; how many were moved. */
async function rewrapAll(keys: KeysClient, max = 7): Promise<number> {
  let [moved, after] = [0, ''];
  do {
    const answer = await keys.rewrapKeys({ max, after });
    moved += Number(answer.rewrapped);
    after = answer.nextAfter;
  } while (after !== '');
  return moved;
}

async function versionsOf(keys: KeysClient): Promise<Array<[number, number]>> {
  return (await keys.describeKeys({})).versions.map(({ version, keys: count }) => [version, Number(count)]);
}

/** Waits until every replica that is up has a data key open. */
async function everywhere(keys: KeysClient, version: number, replicas: number): Promise<void> {
  await eventually(
    () => keys.describeKeys({}),
    ({ replicas: up }) => up.length === replicas && up.every(({ versions }) => versions.includes(version)),
  );
}

describe('rewrapping', () => {
  it('moves every key of two replicas while both sign, and refuses no signature', async () => {
    const replicas = await Promise.all([0, 1].map(() => deployment.start({ openKeyTtlMs: 0 })));
    const wallets = await Promise.all(replicas.map((replica) => deployment.clientOf(replica, 'wallet')));
    const [first, second] = await Promise.all(replicas.map((replica) => deployment.keysOf(replica)));
    const agents = await makeAgents(wallets[0]!, 40);
    const signing = keepSigning(wallets, agents);
    for (const [keys, version] of [
      [first!, 2],
      [second!, 3],
    ] as const) {
      expect(await keys.addDataKey({})).toEqual({ version });
      await everywhere(keys, version, 2);
      await rewrapAll(keys);
      await keys.retireDataKeys({});
    }
    agents.push(...(await makeAgents(wallets[1]!, 1)));
    const { signed, refused } = await signing.stop();
    expect(refused).toEqual([]);
    expect(signed).toBeGreaterThan(80);
    expect(await versionsOf(first!)).toEqual([[3, 41]]);
    for (const agent of agents) expect(await sign(wallets[0]!, agent)).toHaveProperty('signature');
  });

  it('leaves a key alone that was changed meanwhile, and one that does not open', async () => {
    const replica = await deployment.start({ openKeyTtlMs: 0 });
    const [wallet, keys] = [await deployment.clientOf(replica, 'wallet'), await deployment.keysOf(replica)];
    const agents = await makeAgents(wallet, 3);
    const { pool } = deployment.database;
    const { agentId } = agents[1]!;
    await pool.query('update keys set tag = $2 where agent_id = $1', [agentId, Buffer.alloc(16)]);
    await keys.addDataKey({});
    await everywhere(keys, 2, 1);
    const answer = await keys.rewrapKeys({ max: 10, after: '' });
    expect(answer).toEqual({
      version: 2,
      rewrapped: 2n,
      remaining: 1n,
      undecryptableAgentIds: [agentId],
      nextAfter: '',
    });
    expect((await keys.retireDataKeys({})).versions).toEqual([]);
    expect(await versionsOf(keys)).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('is refused, with the name of who cannot, while a replica does not open the newest data key', async () => {
    const old = await deployment.start({ openKeyTtlMs: 0 });
    const wallet = await deployment.clientOf(old, 'wallet');
    const agents = await makeAgents(wallet, 2);
    const vault = { driver: 'software', path: path.join(path.dirname(deployment.vaultPath), 'next.key') } as const;
    const moved = { vault, previousVault: deployment.settings.vault };
    const next = await deployment.start({ settings: moved, openKeyTtlMs: 0 });
    const [keys, nextWallet] = [await deployment.keysOf(next), await deployment.clientOf(next, 'wallet')];
    await keys.addDataKey({});
    await expect(keys.rewrapKeys({ max: 10, after: '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'dataKey', reason: expect.stringMatching(/^2 does not open at every signer.*software/) }],
    });
    // What the other makes meanwhile opens everywhere.
    const [agent] = await makeAgents(nextWallet, 1);
    expect(await sign(wallet, agent!)).toHaveProperty('signature');
    await old.stop();
    await everywhere(keys, 2, 1);
    expect(await rewrapAll(keys)).toBe(3);
    expect((await keys.retireDataKeys({})).versions).toEqual([1]);
    // The old vault opens nothing any more, and the new one needs it no longer.
    await next.stop();
    await expect(deployment.start()).rejects.toThrow(/is not the one/);
    const alone = await deployment.clientOf(await deployment.start({ settings: { vault } }), 'wallet');
    for (const each of [...agents, agent!]) expect(await sign(alone, each)).toHaveProperty('signature');
  });

  it('goes on where a signer was killed', async () => {
    const started = async () => (await startProcess(environmentFor(deployment))) as SignerProcess;
    const first = await started();
    const wallet = await deployment.clientOf(first, 'wallet');
    const agents = await makeAgents(wallet, 80);
    const keys = await deployment.keysOf(first);
    await keys.addDataKey({});
    await everywhere(keys, 2, 1);
    const rewrapping = rewrapAll(keys, 2).catch((error: unknown) => error);
    while (Number((await keys.describeKeys({})).versions[1]!.keys) < 10);
    first.signal('SIGKILL');
    await first.exited;
    expect(await rewrapping).toBeInstanceOf(Error);
    const second = await started();
    const again = await deployment.keysOf(second);
    const [[, before]] = (await versionsOf(again)) as [[number, number]];
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(80);
    // The killed one counts as up for some seconds, and has the newest data key open.
    expect(await rewrapAll(again, 100)).toBe(before);
    expect(await versionsOf(again)).toEqual([
      [1, 0],
      [2, 80],
    ]);
    const secondWallet = await deployment.clientOf(second, 'wallet');
    for (const agent of agents) expect(await sign(secondWallet, agent, Date.now())).toHaveProperty('signature');
    second.signal('SIGTERM');
    expect(await second.exited).toBe(0);
  });
});
