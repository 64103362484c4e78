import type { policyV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { isRecovering, newId, recovering, systemClock } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OperationEngine, OperatorService } from '../src/index.js';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

const NO_RECOVERY: policyV1.GetRecoveryResponse = {
  ...{ inProgress: false, recoveryId: 0, reason: '', startedAtMs: 0n, endedAtMs: 0n, walletsReported: false },
  ...{ walletCount: 0, walletsRead: 0, frozenAgentIds: [], treasuryFrozen: false },
};
const NOTE = { operator: 'ann', reason: 'it is on chain' };

let world: World;
/** What policy says of recoveries. */
let said: policyV1.GetRecoveryResponse;
let asked: number;
const recoveries = {
  getRecovery: async () => {
    asked += 1;
    return said;
  },
};

beforeEach(async () => {
  world = await World.open();
  said = NO_RECOVERY;
  asked = 0;
});
afterEach(() => world.close());

const recover = (change: Partial<policyV1.GetRecoveryResponse>) =>
  (said = { ...NO_RECOVERY, recoveryId: 1, ...change });

/** An operation whose process died at a place, and whose database was then restored. */
async function left(place: string): Promise<{ id: string; agentId: string }> {
  const { engine, died } = world.dyingEngine(place);
  const call = world.call({ waitMs: 0 });
  const { id, agentId } = call;
  void engine.run(world.kind, call).catch(() => {});
  await died;
  // Not for the next one that dies.
  await world.database.pool.query("update operations set due_at = 'infinity' where id = $1", [id]);
  return { id, agentId };
}

/** An engine of the life after, in which all that was left is due. */
async function start(): Promise<OperationEngine> {
  await world.database.pool.query('update operations set due_at = clock_timestamp() where due_at is not null');
  return world.engine({ recoveries });
}

async function stateOf(id: string): Promise<string | undefined> {
  const { rows } = await world.database.pool.query<{ state: string }>('select state from operations where id = $1', [
    id,
  ]);
  return rows[0]?.state;
}

/** As if the database had been restored to before the message was stored. */
async function forgetMessage(id: string): Promise<void> {
  await world.database.pool.query('delete from attempts where operation_id = $1', [id]);
}

/** Whether there is anything left to do for it. */
async function isLeft(id: string): Promise<boolean> {
  const sql = 'select from operations where id = $1 and due_at is not null';
  return (await world.database.pool.query(sql, [id])).rowCount === 1;
}

/** Until the engine has asked policy again, and has searched since. */
async function aWhile(): Promise<void> {
  const before = asked;
  await eventually(() => asked >= before + 2);
}

function operators(): OperatorService {
  const { database, chain, kind } = world;
  const outbox = createOutbox('wallet', systemClock);
  return new OperatorService({
    ...{ source: 'wallet', database, chain, outbox, clock: systemClock, handlers: [kind], recoveries },
  });
}

describe('while policy recovers', () => {
  it('nothing is begun, nothing that was not signed is taken up, and what was signed is looked after', async () => {
    const [unsigned, signed] = [await left('after-build'), await left('after-persisting')];
    recover({ inProgress: true });
    const engine = await start();
    await eventually(async () => (await stateOf(signed.id)) === 'confirmed');
    await aWhile();
    expect(await stateOf(unsigned.id)).toBe('pending');
    expect(isRecovering(await engine.run(world.kind, world.call()).catch((error: unknown) => error))).toBe(true);
    expect(world.policy.authorized).toBe(1);
    expect((await operators().explain(unsigned.id)).nextStep).toContain('left alone while the service recovers');
    recover({ endedAtMs: BigInt(Date.now()) });
    await eventually(async () => (await stateOf(unsigned.id)) === 'confirmed');
  });

  it('a message that is over is not taken for dead: it may have been signed in the life that was lost', async () => {
    const { id } = await left('after-build');
    const engine = await start();
    world.policy.moods.push(...Array.from({ length: 20 }, () => recovering()));
    world.chain.height += LIFE + 1;
    recover({ endedAtMs: BigInt(Date.now()) });
    await eventually(() => world.policy.moods.length === 0);
    expect(await stateOf(id)).not.toBe('expired');
    await engine.stop();
  });
});

describe('an operation of an agent that a recovery has frozen', () => {
  it('is left alone until the agent is unfrozen; those of others go on', async () => {
    const [held, other] = [await left('after-build'), await left('after-build')];
    recover({ endedAtMs: BigInt(Date.now()), frozenAgentIds: [held.agentId] });
    await start();
    await eventually(async () => (await stateOf(other.id)) === 'confirmed');
    await aWhile();
    expect(await stateOf(held.id)).toBe('pending');
    recover({ endedAtMs: BigInt(Date.now()) });
    await eventually(async () => (await stateOf(held.id)) === 'confirmed');
  });

  it('is not said never to have begun where no row of it is left', async () => {
    const call = { ...world.call(), cancelIfNotStarted: true };
    recover({ endedAtMs: BigInt(Date.now()), frozenAgentIds: [call.agentId] });
    const engine = await start();
    await aWhile();
    expect(isRecovering(await engine.run(world.kind, call).catch((error: unknown) => error))).toBe(true);
    recover({ endedAtMs: BigInt(Date.now()) });
    await aWhile();
    expect((await engine.run(world.kind, call)).state).toBe('expired');
  });

  it('is ended by an operator, and is never carried out then', async () => {
    const held = await left('after-build');
    recover({ endedAtMs: BigInt(Date.now()), frozenAgentIds: [held.agentId] });
    await start();
    await operators().reject(held.id, NOTE);
    expect(await stateOf(held.id)).toBe('rejected');
    const statuses = (await world.events(held.id)).map(({ revision }) => revision);
    expect(statuses).toEqual([1, 2]);
    recover({ endedAtMs: BigInt(Date.now()) });
    await aWhile();
    expect([await stateOf(held.id), world.signer.signed.size]).toEqual(['rejected', 0]);
    await expect(operators().reject(held.id, NOTE)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(operators().reject(newId(), NOTE)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['with a message', 'without one'])('is over once an operator has ended it, %s', async (what) => {
    const held = await left('after-build');
    if (what === 'without one') await forgetMessage(held.id);
    recover({ endedAtMs: BigInt(Date.now()), frozenAgentIds: [held.agentId] });
    await start();
    await operators().reject(held.id, NOTE);
    await eventually(async () => !(await isLeft(held.id)));
  });
});
