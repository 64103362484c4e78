import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { Attempt } from '../src/domain/attempt.js';
import type { Bound } from '../src/domain/decision.js';
import type { Sponsorship, SponsorshipBounds } from '../src/domain/sponsorship.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent, request } from './store-support.js';

const BOUNDS: SponsorshipBounds = {
  maxLamportsPerTransaction: 90n,
  maxLamportsPerAgentDay: 200n,
  maxLamportsPerDay: 300n,
  maxAccountsPerAgentDay: 3,
};
const DAY_MINUTES = 1_440;
/** The second agent and the third have one mailbox, the first has none that is known. */
const MAILBOX_OF = [0, 1, 1, 2] as const;

let database: PolicyDatabase;
let store: PostgresReservationStore;

beforeAll(async () => {
  database = await openPolicyDatabase();
  store = new PostgresReservationStore(database.policy, { sponsorship: BOUNDS });
});
afterAll(() => database.close());

/** What a store kept by hand knows of a granted attempt. */
interface Entry extends Sponsorship {
  readonly mailbox: number;
  readonly attempt: Attempt;
  /** Undefined while open; NaN when it died. */
  endedAtMinutes?: number;
}

type Step =
  | (Sponsorship & { readonly kind: 'sponsor'; readonly agent: number })
  | { readonly kind: 'end'; readonly pick: number; readonly outcome: 'settled' | 'failed' | 'expired' }
  | { readonly kind: 'move'; readonly minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('sponsor' as const),
      agent: fc.nat(3),
      lamports: fc.bigInt(1n, 95n),
      makesAccount: fc.boolean(),
      account: fc.record({ rentUsdMicros: fc.constant(5n), receivedUsdMicros: fc.constantFrom(4n, 5n, 5n, 5n, 6n) }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(50),
      outcome: fc.constantFrom('settled', 'settled', 'failed', 'expired'),
    }),
  },
  // Small steps and exact days, so that outcomes stand right at the edge; sometimes back, as clocks do.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      minutes: fc.oneof(
        fc.constantFrom(DAY_MINUTES, DAY_MINUTES - 1, 1_380, -DAY_MINUTES, -DAY_MINUTES - 1, 0),
        fc.integer({ min: -45, max: 45 }),
        fc.integer({ min: -400, max: 1_500 }),
      ),
    }),
  },
);

/** One history, beside which the same is added up naively. */
class History {
  readonly #entries: Entry[] = [];
  #minutes = 0;

  constructor(private readonly agents: readonly string[]) {}

  static async begin(): Promise<History> {
    await database.shiftClock('0');
    await database.rows('delete from reservations');
    await database.rows(`update sponsorship set sponsored_lamports = 0, sponsored_since = '-infinity'`);
    const mailboxId = randomBytes(32);
    const of = [{}, { mailboxId }, { mailboxId }, { mailboxId: randomBytes(32) }];
    return new History(await Promise.all(of.map((each) => newAgent(database, each))));
  }

  async take(each: Step): Promise<void> {
    if (each.kind === 'move') {
      this.#minutes += each.minutes;
      await database.shiftClock(`${this.#minutes} minutes`);
    } else if (each.kind === 'sponsor') await this.#sponsor(each);
    else await this.#end(each.pick, each.outcome);
  }

  async #sponsor({ agent, lamports, makesAccount, account }: Step & { readonly kind: 'sponsor' }): Promise<void> {
    const sponsorship = { lamports, makesAccount, account };
    const asked = request(this.agents[agent]!, { recipient: undefined, valueUsdMicros: 0n, sponsorship });
    const mailbox = MAILBOX_OF[agent]!;
    const expected = this.#boundPassedBy(mailbox, sponsorship) ?? 'granted';
    expect((await store.dryRun(asked))!.verdict).toBe(expected);
    expect((await store.reserve(asked))!.verdict).toBe(expected);
    const attempt = await store.find(asked);
    if (expected === 'granted') this.#entries.push({ mailbox, lamports, makesAccount, attempt: attempt! });
  }

  async #end(pick: number, outcome: 'settled' | 'failed' | 'expired'): Promise<void> {
    const open = this.#entries.filter(({ endedAtMinutes }) => endedAtMinutes === undefined);
    const entry = open[pick % open.length];
    if (!entry) return;
    await store.settle(entry.attempt, { state: outcome });
    entry.endedAtMinutes = outcome === 'expired' ? NaN : this.#minutes;
  }

  #boundPassedBy(mailbox: number, { lamports, makesAccount, account }: Sponsorship): Bound | undefined {
    const all = this.#counting();
    const own = all.filter((entry) => entry.mailbox === mailbox);
    if (lamports > BOUNDS.maxLamportsPerTransaction) return 'sponsored_per_transaction';
    if (makesAccount && account!.receivedUsdMicros! < account!.rentUsdMicros) return 'sponsored_payment_below_rent';
    const accounts = own.filter((entry) => entry.makesAccount).length;
    if (makesAccount && accounts >= BOUNDS.maxAccountsPerAgentDay) return 'sponsored_accounts_per_agent_day';
    if (sum(own) + lamports > BOUNDS.maxLamportsPerAgentDay) return 'sponsored_per_agent_day';
    const isLastQuarter = sum(all) + lamports > (BOUNDS.maxLamportsPerDay * 3n) / 4n;
    const hasTakenItsPart = sum(own) + lamports > BOUNDS.maxLamportsPerAgentDay / 4n;
    const isBeyondAll = sum(all) + lamports > BOUNDS.maxLamportsPerDay;
    return isBeyondAll || (isLastQuarter && hasTakenItsPart) ? 'sponsored_per_day' : undefined;
  }

  /** A history takes less than a minute, but more than nothing: what is a whole day old has left. */
  #counting(): Entry[] {
    return this.#entries.filter(
      ({ endedAtMinutes }) => endedAtMinutes === undefined || this.#minutes - endedAtMinutes < DAY_MINUTES,
    );
  }
}

function sum(entries: readonly Sponsorship[]): bigint {
  return entries.reduce((total, { lamports }) => total + lamports, 0n);
}

describe('the running sums of sponsorship', () => {
  it('decide as the naive sums do, after any operations at any times', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const history = await History.begin();
      for (const each of steps) await history.take(each);
    });
    await fc.assert(property, { numRuns: propertyRuns(25) });
  });
});
