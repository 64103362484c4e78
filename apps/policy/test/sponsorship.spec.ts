import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { SponsorshipBounds } from '../src/domain/sponsorship.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import type { PolicyDatabase } from './database.js';
import {
  end,
  granted,
  type ReservationsUnderTest,
  newAgent,
  openStore,
  request,
  sponsoredRequest,
  USD,
  WALLET,
} from './store-support.js';

const BOUNDS: SponsorshipBounds = {
  maxLamportsPerTransaction: 5_000_000n,
  maxLamportsPerAgentDay: 10_000_000n,
  maxLamportsPerDay: 30_000_000n,
  maxAccountsPerAgentDay: 3,
};
const RENT = 2_039_280n;

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let store: PostgresReservationStore;
let agentId: string;

beforeAll(async () => {
  opened = await openStore({ sponsorship: BOUNDS });
  ({ database, store } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  await database.rows('delete from reservations');
  await database.rows(`update sponsorship set sponsored_lamports = 0, sponsored_since = '-infinity'`);
  agentId = await newAgent(database);
});
afterEach(() => database.shiftClock('0'));

async function verdictOf(lamports: bigint, makesAccount = false, of = agentId) {
  const asked = sponsoredRequest(of, lamports, makesAccount);
  const dryRun = await store.dryRun(asked);
  const decided = await store.reserve(asked);
  expect(dryRun!.verdict).toBe(decided!.verdict);
  return decided!.verdict;
}

/** Lamports that count, row by row. */
async function counted(of?: string): Promise<bigint> {
  const [row] = await database.rows<{ sum: string }>(
    `select coalesce(sum(sponsored_lamports), 0) as sum from reservations
     where ($1::uuid is null or agent_id = $1) and state <> 'expired'`,
    of,
  );
  return BigInt(row!.sum);
}

/** The sum that the deployment's bound is checked against. */
async function runningSum(): Promise<bigint> {
  const [row] = await database.rows<{ sum: string }>('select sponsored_lamports as sum from sponsorship');
  return BigInt(row!.sum);
}

describe('bounds of sponsorship', () => {
  it('allow a transaction that equals its bound, and not a lamport more', async () => {
    expect(await verdictOf(5_000_001n)).toBe('sponsored_per_transaction');
    expect(await verdictOf(5_000_000n)).toBe('granted');
  });

  it('allow an agent a day that adds up to its bound, and not a lamport more', async () => {
    await end(store, sponsoredRequest(agentId, 5_000_000n));
    await end(store, sponsoredRequest(agentId, 1_000_000n), 'failed');
    await store.reserve(sponsoredRequest(agentId, 3_000_000n));
    expect(await verdictOf(1_000_001n)).toBe('sponsored_per_agent_day');
    expect(await verdictOf(1_000_000n)).toBe('granted');
    expect(await verdictOf(1n)).toBe('sponsored_per_agent_day');
    expect(await verdictOf(1n, false, await newAgent(database))).toBe('granted');
  });

  it('allow the deployment a day that adds up to its bound, and not a lamport more', async () => {
    for (const outcome of ['settled', 'failed'] as const) {
      const each = await newAgent(database);
      for (let i = 0; i < 2; i += 1) await end(store, sponsoredRequest(each, 5_000_000n), outcome);
    }
    for (let i = 0; i < 4; i += 1) {
      expect(await verdictOf(2_000_000n, false, await newAgent(database))).toBe('granted');
    }
    const other = await newAgent(database);
    expect(await verdictOf(2_000_001n, false, other)).toBe('sponsored_per_day');
    expect(await verdictOf(2_000_000n, false, other)).toBe('granted');
    expect(await verdictOf(1n, false, await newAgent(database))).toBe('sponsored_per_day');
    expect(await runningSum()).toBe(BOUNDS.maxLamportsPerDay);
  });

  it('keep the last quarter of that day for agents that have taken no more than a quarter of theirs', async () => {
    const hogs = [await newAgent(database), await newAgent(database)];
    for (const hog of hogs) for (let i = 0; i < 2; i += 1) await end(store, sponsoredRequest(hog, 5_000_000n));
    const third = await newAgent(database);
    expect(await verdictOf(2_500_001n, false, third)).toBe('sponsored_per_day');
    expect(await verdictOf(2_500_000n, false, third)).toBe('granted');
    expect(await verdictOf(1n, false, third)).toBe('sponsored_per_day');
    for (let i = 0; i < 3; i += 1) {
      const late = await newAgent(database);
      expect(await verdictOf(2_500_001n, false, late)).toBe('sponsored_per_day');
      expect(await verdictOf(2_500_000n, false, late)).toBe('granted');
    }
    expect(await runningSum()).toBe(BOUNDS.maxLamportsPerDay);
  });

  it('allow so many accounts of others for an agent, and not one more', async () => {
    const small = 100_000n;
    await end(store, sponsoredRequest(agentId, small, true));
    await end(store, sponsoredRequest(agentId, small, true), 'failed');
    expect(await verdictOf(small, true)).toBe('granted');
    expect(await verdictOf(small, true)).toBe('sponsored_accounts_per_agent_day');
    expect(await verdictOf(small)).toBe('granted');
    expect(await verdictOf(small, true, await newAgent(database))).toBe('granted');
  });

  it('do not hold a wallet that pays for itself', async () => {
    for (let i = 0; i < 2; i += 1) await store.reserve(sponsoredRequest(agentId, 5_000_000n));
    expect((await store.reserve(request(agentId)))?.verdict).toBe('granted');
  });

  it('come after every rule of the policy', async () => {
    const strict = await newAgent(database, { maxSingleTransactionUsdMicros: 1n * USD });
    const asked = sponsoredRequest(strict, 5_000_001n);
    expect((await store.reserve({ ...asked, valueUsdMicros: undefined }))?.verdict).toBe('price_unavailable');
    expect((await store.reserve({ ...asked, valueUsdMicros: 2n * USD }))?.verdict).toBe('single_transaction_limit');
    expect((await store.reserve(asked))?.verdict).toBe('sponsored_per_transaction');
  });

  it('sponsor nothing where they are not given', async () => {
    const asked = sponsoredRequest(agentId, 10_000n);
    expect((await new PostgresReservationStore(database.policy).reserve(asked))?.verdict).toBe(
      'sponsored_per_transaction',
    );
  });

  it('do not take back a reservation that was made under wider ones', async () => {
    const asked = sponsoredRequest(agentId, 5_000_000n);
    await store.reserve(asked);
    const narrow = new PostgresReservationStore(database.policy, {
      sponsorship: { ...BOUNDS, maxLamportsPerTransaction: 4_999_999n },
    });
    expect((await narrow.reserve(asked))?.verdict).toBe('granted');
    expect((await narrow.reserve(sponsoredRequest(agentId, 5_000_000n)))?.verdict).toBe('sponsored_per_transaction');
  });
});

describe('a payment below the rent of the account that it would open', () => {
  const sent = { mint: 'native', amount: 7n };
  const isBelow = { rentUsdMicros: 10n, receivedUsdMicros: 9n };
  const opening = (account: typeof isBelow | undefined, change: Partial<ReservationRequest> = {}) => ({
    ...sponsoredRequest(agentId, 100_000n),
    sent,
    ...change,
    sponsorship: { lamports: 100_000n, makesAccount: true, account },
  });
  const verdict = async (asked: ReservationRequest) => (await store.reserve(asked))!.verdict;

  it('has no sponsor, and one that equals it has', async () => {
    expect(await verdict(opening(isBelow))).toBe('sponsored_payment_below_rent');
    expect(await verdict(opening(undefined))).toBe('sponsored_payment_below_rent');
    expect(await verdict(opening({ ...isBelow, receivedUsdMicros: 10n }))).toBe('granted');
  });

  it('keeps the sponsor that the attempt before had, when prices have moved since', async () => {
    const first = opening({ ...isBelow, receivedUsdMicros: 10n });
    await end(store, first, 'expired');
    const again = (change: Partial<ReservationRequest>) =>
      opening(isBelow, { operationId: first.operationId, attempt: 2, ...change });
    expect(await verdict(again({ sent: { ...sent, amount: 6n } }))).toBe('sponsored_payment_below_rent');
    expect(await verdict(again({ sent: { ...sent, mint: 'other' } }))).toBe('sponsored_payment_below_rent');
    expect(await verdict(again({ recipient: WALLET }))).toBe('sponsored_payment_below_rent');
    expect(await verdict(again({}))).toBe('granted');
    expect(await verdict(opening(isBelow, { attempt: 1 }))).toBe('sponsored_payment_below_rent');
  });

  it('gets no sponsor by an attempt before that opened no account', async () => {
    const first = { ...sponsoredRequest(agentId, 10_000n), sent };
    await end(store, first, 'expired');
    const again = opening(isBelow, { operationId: first.operationId, attempt: 2 });
    expect(await verdict(again)).toBe('sponsored_payment_below_rent');
  });
});

describe('what counts', () => {
  it.each(['settled', 'failed'] as const)('is what %s, for 24 hours from the outcome', async (outcome) => {
    const asked = [sponsoredRequest(agentId, 5_000_000n), sponsoredRequest(agentId, 5_000_000n)];
    for (const each of asked) await store.reserve(each);
    await database.shiftClock('30 hours');
    expect(await verdictOf(1n)).toBe('sponsored_per_agent_day');
    for (const each of asked) await store.settle((await store.find(each))!, { state: outcome });
    await database.shiftClock('53:59:59');
    expect(await verdictOf(1n)).toBe('sponsored_per_agent_day');
    await database.shiftClock('54:00:01');
    expect(await verdictOf(5_000_000n)).toBe('granted');
    expect(await runningSum()).toBe(5_000_000n);
  });

  it('is for the deployment what it is for the agent', async () => {
    const agents = await Promise.all(Array.from({ length: 12 }, () => newAgent(database)));
    for (const each of agents) {
      for (let i = 0; i < 2; i += 1) await end(store, sponsoredRequest(each, 1_250_000n), i ? 'settled' : 'failed');
    }
    await database.shiftClock('23:59:59');
    expect(await verdictOf(1n)).toBe('sponsored_per_day');
    await database.shiftClock('24:00:01');
    expect(await verdictOf(1n)).toBe('granted');
    expect(await runningSum()).toBe(1n);
  });

  it('is for accounts of others the same 24 hours', async () => {
    for (let i = 0; i < 3; i += 1) await end(store, sponsoredRequest(agentId, 100_000n, true));
    await database.shiftClock('23:59:59');
    expect(await verdictOf(100_000n, true)).toBe('sponsored_accounts_per_agent_day');
    await database.shiftClock('24:00:01');
    expect(await verdictOf(100_000n, true)).toBe('granted');
  });

  it('is what is open, however old', async () => {
    for (let i = 0; i < 2; i += 1) await store.reserve(sponsoredRequest(agentId, 5_000_000n));
    await database.shiftClock('90 days');
    expect(await verdictOf(1n)).toBe('sponsored_per_agent_day');
  });

  it('is nothing of what died, the accounts included', async () => {
    for (let i = 0; i < 4; i += 1) await end(store, sponsoredRequest(agentId, 5_000_000n, true), 'expired');
    expect(await runningSum()).toBe(0n);
    expect(await verdictOf(5_000_000n, true)).toBe('granted');
  });

  it('is counted once however often it is asked for and however many end it', async () => {
    const asked = sponsoredRequest(agentId, 3_000_000n, true);
    for (let i = 0; i < 3; i += 1) expect((await store.reserve(asked))?.verdict).toBe('granted');
    const attempt = (await store.find(asked))!;
    const both = [store, opened.replica];
    const outcomes = ['settled', 'expired', 'failed'] as const;
    const states = await Promise.all(
      Array.from({ length: 20 }, (_, n) => both[n % 2]!.settle(attempt, { state: outcomes[n % 3]! })),
    );
    expect(new Set(states).size).toBe(1);
    expect(await runningSum()).toBe(states[0] === 'expired' ? 0n : 3_000_000n);
  });
});

describe('many at once', () => {
  const both = () => [store, opened.replica];

  it('never pass the bounds of an agent, over two replicas', async () => {
    const asked = Array.from({ length: 50 }, (_, n) => sponsoredRequest(agentId, 300_000n, n % 2 === 0));
    const decisions = await Promise.all(asked.map((each, n) => both()[n % 2]!.reserve(each)));
    const accounts = decisions.filter(
      (decision, n) => decision?.verdict === 'granted' && asked[n]!.sponsorship!.makesAccount,
    );
    expect(accounts).toHaveLength(3);
    expect(granted(decisions)).toBe(28); // 25 without accounts, and 3 with them: 8.4 of 10 million lamports
    const more = await Promise.all(
      Array.from({ length: 50 }, (_, n) => both()[n % 2]!.reserve(sponsoredRequest(agentId, 300_000n))),
    );
    expect(granted(more)).toBe(5);
    expect(await counted(agentId)).toBe(9_900_000n);
  });

  it('never pass the bound of the deployment, over many agents and two replicas', async () => {
    const agents = await Promise.all(Array.from({ length: 25 }, () => newAgent(database)));
    const asked = Array.from({ length: 100 }, (_, n) => sponsoredRequest(agents[n % 25]!, 1_000_000n));
    const decisions = await Promise.all(asked.map((each, n) => both()[n % 2]!.reserve(each)));
    expect(granted(decisions)).toBe(30);
    expect(await counted()).toBe(BOUNDS.maxLamportsPerDay);
    expect(await runningSum()).toBe(BOUNDS.maxLamportsPerDay);
  });

  it('never pass any bound when nothing goes together and outcomes come in between', async () => {
    const agents = await Promise.all(Array.from({ length: 5 }, () => newAgent(database)));
    const outcomes = ['settled', 'failed', 'expired'] as const;
    await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        const mine = new PostgresReservationStore(database.policy, { sponsorship: BOUNDS });
        const each = sponsoredRequest(agents[n % 5]!, 1_500_000n, n % 3 === 0);
        if ((await mine.reserve(each))?.verdict !== 'granted') return;
        if (n % 4 !== 0) await mine.settle((await mine.find(each))!, { state: outcomes[n % 3]! });
      }),
    );
    for (const each of agents) expect(await counted(each)).toBeLessThanOrEqual(BOUNDS.maxLamportsPerAgentDay);
    expect(await counted()).toBeLessThanOrEqual(BOUNDS.maxLamportsPerDay);
    expect(await runningSum()).toBe(await counted());
  });
});

it('payments to fresh wallets make an agent no more than three accounts a day', async () => {
  const decisions = [];
  for (let i = 0; i < 20; i += 1) decisions.push(await store.reserve(sponsoredRequest(agentId, 10_000n + RENT, true)));
  expect(granted(decisions)).toBe(3);
  expect(await counted()).toBe(3n * (10_000n + RENT));
});
