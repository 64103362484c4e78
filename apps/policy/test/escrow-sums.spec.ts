import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { Attempt } from '../src/domain/attempt.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { escrow, newAgent, payout } from './store-support.js';

const DAILY_LIMIT = 60n;
const PAID_A_DAY = 45n;
const DAY_MINUTES = 1_440;

let database: PolicyDatabase;
let store: PostgresReservationStore;

beforeAll(async () => {
  database = await openPolicyDatabase();
  store = new PostgresReservationStore(database.policy, { maxPayoutsPerDay: PAID_A_DAY });
});
afterAll(() => database.close());

type Outcome = 'settled' | 'failed' | 'expired';

/** What a store kept by hand knows of a granted attempt. */
interface Entry {
  readonly asked: ReservationRequest;
  readonly attempt: Attempt;
  outcome?: Outcome;
  endedAtMinutes?: number;
}

type Step =
  | { readonly kind: 'escrow'; readonly agent: number; readonly amount: bigint; readonly value: bigint }
  | { readonly kind: 'again'; readonly pick: number; readonly amount: bigint; readonly value: bigint }
  | { readonly kind: 'payout'; readonly pick: number; readonly amount: bigint; readonly alone: boolean }
  | { readonly kind: 'end'; readonly pick: number; readonly outcome: Outcome }
  | { readonly kind: 'move'; readonly minutes: number };

const pick = fc.nat(50);
const amount = fc.bigInt(1n, 14n);
const value = fc.bigInt(1n, 20n);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('escrow'), agent: fc.nat(1), amount, value }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('again'), pick, amount, value }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('payout'),
      pick,
      amount,
      alone: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      ...{ kind: kind('end'), pick },
      outcome: fc.constantFrom<Outcome>('settled', 'settled', 'settled', 'failed', 'expired'),
    }),
  },
  // Small steps and exact days, so that outcomes stand right at the edge; sometimes back, as clocks do.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('move'),
      minutes: fc.oneof(
        fc.constantFrom(DAY_MINUTES, DAY_MINUTES - 1, 1_380, -DAY_MINUTES, -DAY_MINUTES - 1, 0),
        fc.integer({ min: -45, max: 45 }),
        fc.integer({ min: -400, max: 1_500 }),
      ),
    }),
  },
);

const isLive = ({ outcome }: Entry) => outcome === undefined || outcome === 'settled';
const total = (entries: readonly Entry[]) => entries.reduce((sum, { asked }) => sum + asked.amount!, 0n);

/** One history, beside which the same is added up naively. */
class History {
  readonly #entries: Entry[] = [];
  #minutes = 0;

  constructor(private readonly agents: readonly string[]) {}

  static async begin(): Promise<History> {
    await database.shiftClock('0');
    await database.rows('delete from reservations');
    await database.rows(`update payouts set paid_out_amount = 0, paid_out_since = '-infinity'`);
    const agent = () => newAgent(database, { dailyLimitUsdMicros: DAILY_LIMIT });
    return new History([await agent(), await agent()]);
  }

  async take(each: Step): Promise<void> {
    if (each.kind === 'move') {
      this.#minutes += each.minutes;
      await database.shiftClock(`${this.#minutes} minutes`);
    } else if (each.kind === 'escrow') {
      const { amount, value: valueUsdMicros } = each;
      await this.#ask(escrow(this.agents[each.agent]!, amount, { valueUsdMicros }));
    } else if (each.kind === 'again') await this.#again(each);
    else if (each.kind === 'payout') await this.#pay(each);
    else await this.#end(each.pick, each.outcome);
    for (const agentId of this.agents) await this.#expectNaive(agentId);
  }

  /** A further attempt of an escrow that moved nothing. */
  async #again({
    pick: picked,
    amount: taken,
    value: valueUsdMicros,
  }: Extract<Step, { kind: 'again' }>): Promise<void> {
    const over = this.#escrows().filter((entry) => !isLive(entry) && this.#lastEscrowOf(entry) === entry);
    const entry = over[picked % over.length];
    if (!entry) return;
    const { agentId, operationId, attempt } = entry.asked;
    await this.#ask(escrow(agentId, taken, { operationId, attempt: attempt + 1, valueUsdMicros }));
  }

  async #pay({ pick: picked, amount: paid, alone }: Extract<Step, { kind: 'payout' }>): Promise<void> {
    const escrows = this.#escrows();
    const entry = escrows[picked % escrows.length];
    if (!entry) return;
    const { agentId, operationId } = entry.asked;
    const before = this.#of(operationId).length;
    await this.#ask(alone ? payout(agentId, paid) : payout(agentId, paid, { operationId, step: before + 2 }));
  }

  async #ask(asked: ReservationRequest): Promise<void> {
    const expected = asked.kind === 'escrow' ? this.#verdictOfEscrow(asked) : this.#verdictOfPayout(asked);
    expect((await store.reserve(asked))!.verdict).toBe(expected);
    if (expected === 'granted') this.#entries.push({ asked, attempt: (await store.find(asked))! });
  }

  #verdictOfEscrow({ agentId, operationId, valueUsdMicros }: ReservationRequest): string {
    if (this.#of(operationId).some((entry) => entry.asked.kind === 'payout' && isLive(entry))) {
      return 'conflict_escrow_after_payout';
    }
    const { reserved, settled } = this.#naive(agentId);
    return reserved + settled + valueUsdMicros! > DAILY_LIMIT ? 'daily_limit' : 'granted';
  }

  #verdictOfPayout({ operationId, amount: paid }: ReservationRequest): string {
    const own = this.#of(operationId);
    const escrows = own.filter((entry) => entry.asked.kind === 'escrow');
    const paidOut = total(own.filter((entry) => entry.asked.kind === 'payout' && isLive(entry)));
    if (escrows.length > 0 && paidOut + paid! > total(escrows.filter(isLive))) return 'conflict_payout_beyond_escrow';
    const counting = this.#entries.filter(
      (entry) => entry.asked.kind === 'payout' && this.#isInWindow(entry) && !this.#isCovered(entry),
    );
    return total(counting) + paid! > PAID_A_DAY ? 'treasury_daily_limit' : 'granted';
  }

  async #end(picked: number, outcome: Outcome): Promise<void> {
    const open = this.#entries.filter((entry) => entry.outcome === undefined);
    const entry = open[picked % open.length];
    if (!entry) return;
    await store.settle(entry.attempt, { state: outcome });
    entry.outcome = outcome;
    entry.endedAtMinutes = this.#minutes;
  }

  async #expectNaive(agentId: string): Promise<void> {
    const seen = (await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: 1n }))!;
    expect({ reserved: seen.reservedUsdMicros, settled: seen.settledUsdMicros }).toEqual(this.#naive(agentId));
  }

  /** What counts of each escrow: its value's share of what did not come back, rounded up. */
  #naive(agentId: string): { reserved: bigint; settled: bigint } {
    const sum = (entries: readonly Entry[]) => entries.reduce((all, entry) => all + this.#counted(entry), 0n);
    const own = this.#escrows().filter((entry) => entry.asked.agentId === agentId);
    const settled = own.filter((entry) => entry.outcome === 'settled' && this.#isInWindow(entry));
    return { reserved: sum(own.filter((entry) => entry.outcome === undefined)), settled: sum(settled) };
  }

  #counted({ asked: { operationId, amount: taken, valueUsdMicros } }: Entry): bigint {
    const settled = this.#of(operationId).filter(
      ({ asked, outcome }) => asked.kind === 'payout' && outcome === 'settled',
    );
    const stayed = valueUsdMicros! * (taken! - total(settled));
    return stayed / taken! + (stayed % taken! === 0n ? 0n : 1n);
  }

  /** A history takes less than a minute, but more than nothing: what is a whole day old has left. */
  #isInWindow({ outcome, endedAtMinutes }: Entry): boolean {
    if (outcome === undefined) return true;
    return outcome === 'settled' && this.#minutes - endedAtMinutes! < DAY_MINUTES;
  }

  /** Whether a payout is settled, and so is the escrow that it gives back. */
  #isCovered({ asked: { operationId }, outcome }: Entry): boolean {
    const settled = this.#of(operationId).filter((entry) => entry.outcome === 'settled');
    return outcome === 'settled' && settled.some(({ asked }) => asked.kind === 'escrow');
  }

  #escrows(): Entry[] {
    return this.#entries.filter(({ asked }) => asked.kind === 'escrow');
  }

  #lastEscrowOf({ asked }: Entry): Entry | undefined {
    return this.#of(asked.operationId).findLast((entry) => entry.asked.kind === 'escrow');
  }

  #of(operationId: string): Entry[] {
    return this.#entries.filter(({ asked }) => asked.operationId === operationId);
  }
}

describe('the running sums of escrows and payouts', () => {
  it('are the naive sums after any operations at any times, and so are the decisions', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 70 }), async (steps) => {
      const history = await History.begin();
      for (const each of steps) await history.take(each);
    });
    await fc.assert(property, { numRuns: propertyRuns(25) });
  });
});
