import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { SetFreeze } from '../src/application/policies/manage-freezes.js';
import type { FreezeStore } from '../src/ports/freeze-store.js';
import { type PolicyDatabase } from './database.js';
import { granted, type ReservationsUnderTest, newAgent, openStore, request, USD } from './store-support.js';

const BY = { operator: 'alice', reason: 'a test' };
const EVERYTHING = { ...BY, agentId: undefined };

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let freezes: FreezeStore;

beforeAll(async () => {
  opened = await openStore();
  ({ database, freezes } = opened);
});
afterAll(() => opened.close());
afterEach(() => database.rows('delete from freezes'));

/** A store that batches no request with another, as in a separate replica. */
const alone = () => new PostgresReservationStore(database.policy);

const count = async () => {
  const [row] = await database.rows<{ count: string }>('select count(*) from reservations');
  return Number(row!.count);
};

/** Sessions that wait for a lock that others hold. */
const waiting = async (kind: 'relation' | 'transactionid') => {
  const [row] = await database.rows<{ count: string }>(
    `select count(*) from pg_locks l join pg_stat_activity a using (pid)
     where not l.granted and l.locktype = $1 and a.datname = current_database()`,
    kind,
  );
  return Number(row!.count);
};

/** A transaction in the test's hands. */
async function inTransaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, user, database: name, password } = database.connection;
  const client = new pg.Client({ host, port, user, database: name, password: password.reveal() });
  await client.connect();
  try {
    await client.query('begin; set local search_path = policy');
    return await work(client);
  } finally {
    await client.end();
  }
}

describe('a freeze', () => {
  it.each(['owner', 'Owner 01938f70-0000-7000-8000-000000000001', '\tOWNER x', 'ｏｗｎｅｒ x'])(
    'takes no operator %j who would look like an owner in the log',
    async (operator) => {
      const order = new SetFreeze(freezes).execute({ ...EVERYTHING, frozen: true, operator });
      await expect(order).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    },
  );

  it('of an agent refuses it before any other rule, and refuses no other agent', async () => {
    const [agentId, other] = await Promise.all([newAgent(database), newAgent(database)]);
    expect(await freezes.set({ ...BY, agentId, frozen: true })).toEqual({ changed: true });
    for (const change of [{}, { valueUsdMicros: undefined }, { recipient: undefined, valueUsdMicros: 0n }]) {
      const asked = request(agentId, change);
      expect((await alone().reserve(asked))?.verdict).toBe('frozen');
      expect((await alone().dryRun(asked))?.verdict).toBe('frozen');
    }
    expect((await alone().reserve(request(other)))?.verdict).toBe('granted');
    expect(await freezes.set({ ...BY, agentId, frozen: false })).toEqual({ changed: true });
    expect((await alone().reserve(request(agentId)))?.verdict).toBe('granted');
  });

  it('of everything refuses every agent; lifting it leaves the freeze of an agent in place', async () => {
    const [agentId, other] = await Promise.all([newAgent(database), newAgent(database)]);
    await freezes.set({ ...EVERYTHING, frozen: true });
    await freezes.set({ ...BY, agentId, frozen: true });
    for (const each of [agentId, other]) expect((await alone().reserve(request(each)))?.verdict).toBe('frozen');
    await freezes.set({ ...EVERYTHING, frozen: false });
    expect((await alone().reserve(request(agentId)))?.verdict).toBe('frozen');
    expect((await alone().reserve(request(other)))?.verdict).toBe('granted');
  });

  it('refuses another permit for a reservation that was made before', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await alone().reserve(asked);
    await freezes.set({ ...EVERYTHING, frozen: true });
    expect((await alone().reserve(asked))?.verdict).toBe('frozen');
    expect((await alone().find(asked))?.state).toBe('open');
    await freezes.set({ ...EVERYTHING, frozen: false });
    expect((await alone().reserve(asked))?.verdict).toBe('granted');
  });

  it('does not wait for long readers, such as a backup', async () => {
    const agentId = await newAgent(database);
    await inTransaction(async (backup) => {
      for (const table of ['freezes', 'policies', 'reservations']) await backup.query(`select from ${table}`);
      expect(await freezes.set({ ...BY, agentId, frozen: true })).toEqual({ changed: true });
      expect((await alone().reserve(request(agentId)))?.verdict).toBe('frozen');
    });
  });

  it('lets outcomes be written down', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await alone().reserve(asked);
    await freezes.set({ ...BY, agentId, frozen: true });
    expect(await alone().settle((await alone().find(asked))!, { state: 'settled' })).toBe('settled');
    expect(await alone().dryRun(asked)).toMatchObject({ settledUsdMicros: 10n * USD, reservedUsdMicros: 0n });
  });

  it('changes something once, and keeps who asked first', async () => {
    const agentId = await newAgent(database);
    const orders = Array.from({ length: 10 }, (_, n) => ({ agentId, frozen: true, operator: `op ${n}`, reason: 'r' }));
    const answers = await Promise.all(orders.map((order) => freezes.set(order)));
    expect(answers.filter((answer) => answer!.changed)).toHaveLength(1);
    const [first] = (await freezes.list()).freezes;
    const operator = first!.operator;
    await freezes.set({ ...BY, agentId, frozen: true });
    expect(await freezes.list()).toMatchObject({ freezes: [{ agentId, operator }], total: 1 });
  });

  it('are listed up to 1,000, the oldest first, with how many there are', async () => {
    await database.rows(`insert into freezes (agent_id, operator, reason, since)
      select gen_random_uuid(), 'op ' || n, 'r', timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, 1001) n`);
    const { freezes: listed, total } = await freezes.list();
    expect([listed.length, total]).toEqual([1_000, 1_001]);
    expect([listed[0]!.operator, listed[999]!.operator]).toEqual(['op 1', 'op 1000']);
  });
});

describe('from the answer on', () => {
  it.each(['an agent', 'everything'])('nothing more is granted while fifty at once ask: %s', async (what) => {
    for (let round = 0; round < 5; round += 1) {
      const agents = await Promise.all(Array.from({ length: what === 'an agent' ? 1 : 10 }, () => newAgent(database)));
      const before = await count();
      let asked = 0;
      let isOver = false;
      const worker = async (n: number) => {
        // Some go alone, by the one statement; some together, through the function.
        const mine = n % 2 === 0 ? alone() : [opened.store, opened.replica][n % 4 === 1 ? 0 : 1]!;
        while (!isOver) {
          await mine.reserve(request(agents[n % agents.length]!, { valueUsdMicros: 1n }));
          asked += 1;
        }
      };
      const workers = Array.from({ length: 50 }, (_, n) => worker(n));
      await eventually(async () => (await count()) - before >= 20);
      await freezes.set({ ...BY, agentId: what === 'an agent' ? agents[0] : undefined, frozen: true });
      const atTheAnswer = await count();
      const askedThen = asked;
      await eventually(() => asked - askedThen >= 200);
      isOver = true;
      await Promise.all(workers);
      expect(await count()).toBe(atTheAnswer);
      await database.rows('delete from freezes');
    }
  });

  const paths = {
    'one that goes alone': (agentId: string) => [alone().reserve(request(agentId))],
    'one that takes the function': (agentId: string) => [
      alone().reserve(request(agentId, { recipient: undefined, valueUsdMicros: 0n })),
    ],
    'several that go together': (agentId: string) => [1, 2, 3].map(() => opened.store.reserve(request(agentId))),
  };

  it.each(Object.entries(paths))('%s has not been overtaken: the freeze waited for it', async (_, ask) => {
    const agentId = await newAgent(database);
    const { asked, freezing } = await inTransaction(async (locker) => {
      await locker.query('select from policies where agent_id = $1 for update', [agentId]);
      const under = Promise.all(ask(agentId));
      await eventually(async () => (await waiting('transactionid')) === 1);
      let hasResponse = false;
      const freeze = freezes.set({ ...EVERYTHING, frozen: true }).then(() => (hasResponse = true));
      await eventually(async () => (await waiting('relation')) === 1);
      expect(hasResponse).toBe(false);
      await locker.query('rollback');
      return { asked: await under, freezing: freeze };
    });
    // What came first alone was granted; what waited to go together with others came after.
    expect(granted(asked)).toBeGreaterThan(0);
    await freezing;
    expect(granted(await Promise.all(ask(agentId)))).toBe(0);
  });

  it.each(Object.entries(paths))('%s that began before is refused', async (_, ask) => {
    const agentId = await newAgent(database);
    // Plans are kept from the sixth time on.
    for (let i = 0; i < 8; i += 1) expect(granted(await Promise.all(ask(agentId)))).toBeGreaterThan(0);
    const asked = await inTransaction(async (freezer) => {
      await freezer.query('lock table freezes in exclusive mode');
      await freezer.query(
        `insert into freezes (agent_id, operator, reason, since) values ($1, 'alice', 'a test', policy.now())`,
        [agentId],
      );
      // Its statement, and so its snapshot, are older than the freeze.
      const under = Promise.all(ask(agentId));
      await eventually(async () => (await waiting('relation')) >= 1);
      await freezer.query('commit');
      return under;
    });
    expect(asked.map((decision) => decision?.verdict)).toEqual(asked.map(() => 'frozen'));
  });
});
