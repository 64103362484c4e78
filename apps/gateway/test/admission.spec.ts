import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, Secret } from '@agent-wallet/kernel';
import { type Database, migrate, openDatabase } from '@agent-wallet/platform';
import { eventually, openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { PostgresRateLimiter } from '../src/adapters/postgres-rate-limiter.js';
import { gatewayMigrations } from '../src/index.js';
import type { Admission, ClaimedSession } from '../src/ports/rate-limiter.js';
import { RATE_LIMITS, TestClock } from './world.js';

// Many requests at once at the doors of two gateways over one Postgres.

const LIMITS = { ...RATE_LIMITS, clientPerMinute: 20, agentPerMinute: 10 };
const PLENTY = { ...LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000 };

const clock = new TestClock();
let test: TestDatabase<'gateway'>;
let databases: readonly [Database, Database];

beforeAll(async () => {
  test = await openTestDatabase(['gateway']);
  const { gateway } = test.schemas;
  const connection = { ...gateway, password: new Secret(gateway.password) };
  const open = () => openDatabase({ connection, schema: 'gateway', logger: silent });
  databases = [open(), open()];
  await migrate(databases[0], gatewayMigrations.directory);
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await test.close();
});

/** A gateway's door, and the names of the statements it runs. */
function open(limits = LIMITS, copy: 0 | 1 = 0) {
  const statements: string[] = [];
  const { pool } = databases[copy];
  const query = (statement: { readonly name: string }) => {
    statements.push(statement.name);
    return pool.query(statement as never);
  };
  return { door: new PostgresRateLimiter({ query } as never, limits, clock), statements };
}

beforeEach(async () => {
  clock.reset();
  await databases[0].pool.query('truncate rate_windows');
});

/** A session that stands for an hour. */
async function session(): Promise<ClaimedSession> {
  const [agentId, sessionId] = [newId(), newId()];
  const { pool } = databases[0];
  await pool.query('insert into agents (id, email, created_at) values ($1, $2, now())', [
    agentId,
    `${agentId}@agents.example`,
  ]);
  await pool.query(
    `insert into sessions (id, agent_id, family_id, created_at, authenticated_at, expires_at)
     values ($1, $2, $1, now(), now(), now() + interval '1 hour')`,
    [sessionId, agentId],
  );
  return { agentId, sessionId };
}

/** Keeps a window's row from being counted, until it is let go. */
async function held(key: string): Promise<() => Promise<void>> {
  const holder = await databases[0].pool.connect();
  await holder.query('begin');
  await holder.query('select from rate_windows where key = $1 for update', [key]);
  return async () => {
    await holder.query('commit');
    holder.release();
  };
}

/** Until so many statements wait for a row. */
async function waiting(count: number): Promise<void> {
  const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await eventually(async () => (await databases[1].pool.query(text)).rows.length === count);
}

/** Asks all of it while a statement before it cannot end, so that it goes as one group. */
async function inOneGroup<T>(door: PostgresRateLimiter, ask: () => readonly Promise<T>[]): Promise<readonly T[]> {
  await door.admit('blocker');
  const release = await held('client:blocker');
  const first = door.admit('blocker');
  await waiting(1);
  const asked = ask();
  await release();
  await first;
  return Promise.all(asked);
}

/** Returns whose window a request was counted in, and which it was in it. */
const taken = ({ sessionGood, window }: Admission) => [
  sessionGood ? 'principal' : 'client',
  window.limit - window.remaining,
];
const isLeft = ({ window }: Admission) => window.remaining >= 0;
const passes = (admission: Admission) => admission.sessionGood && isLeft(admission);
const times = <T>(count: number, ask: (n: number) => T) => Array.from({ length: count }, (_, n) => ask(n));
const countOf = async (key: string) =>
  (await databases[0].pool.query<{ taken: number }>('select taken from rate_windows where key = $1', [key])).rows[0]
    ?.taken;

async function oneByOne<T>(_: PostgresRateLimiter, ask: () => Generator<Promise<T>>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (const asked of ask()) answers.push(await asked);
  return answers;
}
const manyAtOnce: typeof oneByOne = (door, ask) => inOneGroup(door, () => [...ask()]);

describe.each([
  ['one by one', oneByOne],
  ['many at once', manyAtOnce],
])('requests that come %s', (_, inTurn) => {
  it('pass up to the limit of their client address, and not beyond it', async () => {
    const { door } = open();
    const answers = await inTurn(door, function* () {
      for (let n = 0; n < 22; n++) yield door.admit('198.51.100.8');
    });
    expect(answers.map(isLeft)).toEqual([...Array(20).fill(true), false, false]);
  });

  it('pass up to the limit of their agent, and not beyond it', async () => {
    const [{ door }, own] = [open(), await session()];
    const answers = await inTurn(door, function* () {
      for (let n = 0; n < 12; n++) yield door.admit('198.51.100.9', own);
    });
    expect(answers.map(passes)).toEqual([...Array(10).fill(true), false, false]);
  });
});

describe('fifty requests in one statement', () => {
  it('are counted one after another: the limit of their client address lets exactly so many through', async () => {
    const { door, statements } = open();
    const answers = await inOneGroup(door, () => times(50, () => door.admit('198.51.100.1')));
    expect(answers.map(taken)).toEqual(times(50, (n) => ['client', n + 1]));
    expect(answers.filter(isLeft)).toHaveLength(20);
    // The two of the blocker, and one for all fifty.
    expect(statements).toEqual(['admit', 'admit', 'admit']);
    expect(taken(await door.admit('198.51.100.1'))).toEqual(['client', 51]);
  });

  it('are counted one after another: the limit of their agent lets exactly so many through', async () => {
    const [{ door }, own] = [open(), await session()];
    const answers = await inOneGroup(door, () => times(50, (n) => door.admit(`198.51.100.${n}`, own)));
    expect(answers.map(taken)).toEqual(times(50, (n) => ['principal', n + 1]));
    expect(answers.filter(passes)).toHaveLength(10);
    expect(await countOf(`agent:${own.agentId}`)).toBe(50);
  });

  it('count for the client address where the session is not good, and for the agent alone where it is', async () => {
    const [{ door }, good, other, over] = [open(), await session(), await session(), await session()];
    const { pool } = databases[0];
    await pool.query('update sessions set revoked_at = now() where id = $1', [other.sessionId]);
    await pool.query('update sessions set expires_at = now() where id = $1', [over.sessionId]);
    const stolen = { agentId: good.agentId, sessionId: other.sessionId };
    const asked = [undefined, good, other, stolen, over, { ...good, sessionId: newId() }, good];
    const answers = await inOneGroup(door, () => asked.map((each) => door.admit('198.51.100.2', each)));
    expect(answers.map(taken)).toEqual([
      ...[
        ['client', 1],
        ['principal', 1],
        ['client', 2],
        ['client', 3],
        ['client', 4],
        ['client', 5],
      ],
      ['principal', 2],
    ]);
    expect([await countOf(`agent:${good.agentId}`), await countOf('client:198.51.100.2')]).toEqual([2, 5]);
  });

  it('of 200 agents at their own limits pass beside a flood from the same address, which stays at its limit', async () => {
    const [{ door }, agents] = [open(), await Promise.all(times(200, session))];
    const stranger = () => door.admit('198.51.100.12');
    const asked = times(LIMITS.agentPerMinute, () =>
      agents.flatMap((each) => [door.admit('198.51.100.12', each), stranger()]),
    );
    const answers = await Promise.all(asked.flat());
    const [ofAgents, ofStranger] = [0, 1].map((from) => answers.filter((_, n) => n % 2 === from));
    expect(ofAgents).toHaveLength(200 * LIMITS.agentPerMinute);
    expect(ofAgents!.every(passes)).toBe(true);
    expect(ofStranger!.filter(isLeft)).toHaveLength(LIMITS.clientPerMinute);
    expect((await Promise.all(agents.map((each) => door.admit('198.51.100.12', each)))).some(passes)).toBe(false);
  });

  it('with a scoped token use up nothing of its agent, nor of another token', async () => {
    const [{ door }, own] = [open(), await session()];
    const [one, two] = [
      { ...own, token: { id: newId() } },
      { ...own, token: { id: newId() } },
    ];
    const answers = await inOneGroup(door, () => times(15, () => door.admit('198.51.100.13', one)));
    expect(answers.filter(passes)).toHaveLength(LIMITS.agentPerMinute);
    expect(taken(await door.admit('198.51.100.13', two))).toEqual(['principal', 1]);
    expect(taken(await door.admit('198.51.100.13', own))).toEqual(['principal', 1]);
  });

  it('restart a window when it ends, and not a millisecond before', async () => {
    const [{ door }, own] = [open(), await session()];
    const startMs = clock.nowMs();
    clock.stopAt(startMs);
    const group = () => inOneGroup(door, () => times(3, () => door.admit('198.51.100.3', own)));
    await group();
    clock.stopAt(startMs + 59_999);
    expect((await group()).map(taken)).toEqual([4, 5, 6].map((n) => ['principal', n]));
    clock.stopAt(startMs + 60_000);
    const renewed = await group();
    expect(renewed.map(taken)).toEqual([1, 2, 3].map((n) => ['principal', n]));
    expect(renewed.map(({ window }) => window.resetsAtMs)).toEqual(Array(3).fill(startMs + 120_000));
  });

  it('are admitted when one among them cannot even be written down', async () => {
    const { door } = open();
    const answers = await inOneGroup(door, () =>
      times(50, (n) => door.admit(n === 25 ? 'nul\0' : '198.51.100.4').catch((error: { code: string }) => error.code)),
    );
    expect(answers[25]).toBe('INTERNAL_ERROR');
    expect(await countOf('client:198.51.100.4')).toBe(49);
    const counted = answers
      .filter((answer): answer is Admission => typeof answer !== 'string')
      .map((a) => taken(a)[1] as number);
    expect(counted.toSorted((a, b) => a - b)).toEqual(times(49, (n) => n + 1));
  });
});

describe('requests at two gateways at once', () => {
  it('are counted together', async () => {
    const own = await session();
    const doors = [open(LIMITS, 0).door, open(LIMITS, 1).door];
    const byAgent = await Promise.all(times(100, (n) => doors[n % 2]!.admit(`198.51.101.${n}`, own)));
    expect(byAgent.filter(passes)).toHaveLength(10);
    const byClient = await Promise.all(times(100, (n) => doors[n % 2]!.admit('198.51.100.5')));
    expect(byClient.filter(isLeft)).toHaveLength(20);
    const counts = byClient.map((answer) => taken(answer)[1] as number);
    expect(counts.toSorted((a, b) => a - b)).toEqual(times(100, (n) => n + 1));
  });

  it('do not deadlock, in any order of their clients and agents', async () => {
    const sessions = await Promise.all(times(20, session));
    const [forwards, backwards] = [open(PLENTY, 0), open(PLENTY, 1)];
    const ask = ({ door }: typeof forwards, own: ClaimedSession) => {
      const client = `198.51.102.${sessions.indexOf(own)}`;
      return [door.admit(client), door.admit(client, own)];
    };
    await Promise.all(sessions.flatMap((own) => ask(forwards, own)));
    for (const key of ['client:198.51.102.10', `agent:${sessions[10]!.agentId}`]) {
      const release = await held(key);
      const asked = [
        ...sessions.flatMap((own) => ask(forwards, own)),
        ...sessions.toReversed().flatMap((own) => ask(backwards, own)),
      ];
      await waiting(2);
      await release();
      await Promise.all(asked);
    }
    const { rows } = await databases[0].pool.query('select distinct taken from rate_windows');
    expect(rows).toEqual([{ taken: 5 }]);
    // Those of a group that failed would have been asked one by one.
    expect([forwards.statements, backwards.statements]).toEqual([Array(6).fill('admit'), Array(4).fill('admit')]);
  });
});

describe('a session that is revoked', () => {
  it('is refused by the next group', async () => {
    const [{ door }, own] = [open(PLENTY), await session()];
    const ask = () => times(5, () => door.admit('198.51.100.6', own));
    expect((await inOneGroup(door, ask)).every(passes)).toBe(true);
    await databases[1].pool.query('update sessions set revoked_at = now() where id = $1', [own.sessionId]);
    expect((await inOneGroup(door, ask)).some(passes)).toBe(false);
  });
});

describe('without a database', () => {
  it('a group of requests fails with the same error for each', async () => {
    const { door } = open();
    const { pool } = databases[0];
    const codes = await inOneGroup(door, () => {
      const asked = times(10, () => door.admit('198.51.100.7').catch((error: { code: string }) => error.code));
      pool.query = async () => {
        throw Object.assign(new Error('gone'), { code: '57P01' });
      };
      return asked;
    }).finally(() => delete (pool as { query?: unknown }).query);
    expect(codes).toEqual(Array(10).fill('SERVICE_UNAVAILABLE'));
  });
});
