import { AppError, newId, systemClock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { OperatorService } from '../src/index.js';
import { operationsService } from '../src/operator/operations-service.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
const FIRST = idAt(0);
const LAST = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

let world: World;
let controller: ReturnType<typeof operationsService>;

beforeEach(async () => {
  world = await World.open();
  const { database, kind } = world;
  const outbox = createOutbox('wallet', systemClock);
  controller = operationsService(
    new OperatorService({ source: 'wallet', database, outbox, clock: systemClock, handlers: [kind] }),
  );
});

afterEach(() => world.close());

/** An id (UUIDv7) of that millisecond. */
function idAt(unixMs: number, n = 0): string {
  const time = unixMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

const list = (afterOperationId: string, limit: number, beforeOperationId = LAST) =>
  controller.listOperationRevisions({ afterOperationId, beforeOperationId, limit });

/** Operations as they are after this many published changes. */
async function insert(agentId: string, ids: readonly string[], revision = 3): Promise<void> {
  await world.database.pool.query(
    `insert into operations (id, agent_id, action, request, request_id, state, revision, created_at_ms, owner)
     select id, $1, 'transfer', '{}', 'r', 'confirmed', $3, 0, $1 from unnest($2::uuid[]) as id`,
    [agentId, ids, revision],
  );
}

it('are listed as the engine writes them: how many changes were published, and how it ended', async () => {
  const engine = world.engine();
  const [done, refused] = [world.call(), world.call()];
  await engine.run(world.kind, done);
  world.policy.moods.push(new AppError('POLICY_VIOLATION', { data: { rule: 'daily_limit' } }));
  await engine.run(world.kind, refused);
  const { operations } = await list(FIRST, 500);
  const published = await Promise.all([done, refused].map(({ id }) => world.events(id)));
  expect(operations).toEqual([
    ...[{ operationId: done.id, agentId: done.agentId, action: 'transfer', state: 'confirmed', revision: 3 }],
    ...[{ operationId: refused.id, agentId: refused.agentId, action: 'transfer', state: 'rejected', revision: 2 }],
  ]);
  expect(published.map((events) => events.at(-1)?.revision)).toEqual(operations.map(({ revision }) => revision));
});

it('are paged in the order of their ids, each once, with any order of creation', async () => {
  const ids = Array.from({ length: 25 }, (_, n) => idAt(1_000 + Math.floor(n / 10), n));
  await insert(newId(), [...ids].reverse());
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let after = FIRST; ; after = seen.at(-1)!) {
    const { operations } = await list(after, 10);
    sizes.push(operations.length);
    seen.push(...operations.map(({ operationId }) => operationId));
    if (operations.length < 10) break;
  }
  expect([seen, sizes]).toEqual([ids, [10, 10, 5]]);
});

it('end before the id that is named, which bounds their age, and leave out what was never published', async () => {
  const nowMs = 1_800_000_000_000;
  const ages = [10 * MINUTE_MS, MINUTE_MS + 1, MINUTE_MS, MINUTE_MS - 1, 0];
  const ids = ages.map((ageMs) => idAt(nowMs - ageMs, 1));
  await insert(newId(), ids);
  await insert(newId(), [idAt(nowMs - 5 * MINUTE_MS)], 0);
  const old = await list(FIRST, 500, idAt(nowMs - MINUTE_MS));
  expect(old.operations.map(({ operationId }) => operationId)).toEqual(ids.slice(0, 2));
  // Both ends are left out themselves.
  const inside = await list(ids[0]!, 500, ids[2]);
  expect(inside.operations.map(({ operationId }) => operationId)).toEqual([ids[1]]);
});

it('are asked for by 1 to 500, between two ids', async () => {
  for (const limit of [1, 500]) await expect(list(FIRST, limit)).resolves.toEqual({ operations: [] });
  for (const limit of [0, 501]) await expect(list(FIRST, limit)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(list('', 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(list(FIRST, 1, "'")).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
