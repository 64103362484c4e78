import { newId } from '@agent-wallet/kernel';
import { openMigratedDatabase, openTestSchema } from '@agent-wallet/platform/testing';
import { EVENT_LOG_MIGRATIONS } from '@agent-wallet/events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gatewayMigrations } from '../src/index.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const BEGIN_MS = Date.UTC(2026, 10, 24);
const PURPOSES = ['login', 'evict', 'cancel_claim', 'owner_login', 'claim'] as const;
const HASH = { right: Buffer.from('right'), wrong: Buffer.from('wrong') };

let test: Awaited<ReturnType<typeof openMigratedDatabase<'gateway' | 'events'>>>;
let database: ReturnType<typeof openTestSchema>;
beforeAll(async () => {
  test = await openMigratedDatabase([gatewayMigrations, EVENT_LOG_MIGRATIONS]);
  database = openTestSchema(test.schemas.gateway, 'gateway');
});
afterAll(async () => {
  await database.close();
  await test.close();
});

type Purpose = (typeof PURPOSES)[number];
type Step =
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'ask'; readonly purpose: Purpose; readonly networks: number; readonly isKnown: boolean }
  | { readonly do: 'guess'; readonly ids: number };

interface Asked {
  readonly verdict: string;
  readonly charge: string;
}

/** Follows one mailbox over days: who asks, what is mailed, and what is guessed. */
class Mailbox {
  readonly email = `${newId()}@example.com`;
  nowMs = BEGIN_MS;
  /** Times of long mails by purpose and named owner, and of wrong guesses that were compared with a short code. */
  readonly longMails = new Map<string, number[]>();
  readonly guesses: number[] = [];
  readonly ids: string[] = [];
  #network = 0;

  get #now(): string {
    return new Date(this.nowMs).toISOString();
  }

  async know(): Promise<void> {
    const values = [this.email, '10.1.1.0/24', this.#now];
    await database.pool.query('insert into login_networks (mailbox, network, seen_at) values ($1, $2, $3)', values);
  }

  /** Asks from a network of its own, or from a fresh neighbour of the known one, and mails at once what is granted. */
  async ask(purpose: Purpose, isKnown: boolean, owner: string | null): Promise<Asked & { readonly id: string }> {
    const n = (this.#network += 1);
    const [client, network] = isKnown ? [`10.1.1.${n}`, '10.1.1.0/24'] : [`10.9.${n}.1`, `10.9.${n}.0/24`];
    const id = newId();
    const { rows } = await database.pool.query<Asked>(
      'select * from count_otp_request($1, $2, $3, $4, $5, $6, $7, 3, 20, 12, 100000, 100, $8)',
      [id, this.email, purpose, owner, this.email, client, network, this.#now],
    );
    const { verdict, charge } = rows[0]!;
    if (verdict === 'mail') await this.#mail(id, purpose, owner, { charge, client });
    if (verdict === 'mail' || verdict === 'live') this.ids.push(id);
    return { verdict, charge, id };
  }

  async #mail(id: string, purpose: Purpose, owner: string | null, by: { charge: string; client: string }) {
    const isLong = by.charge === 'long';
    const expiresAt = new Date(this.nowMs + (isLong ? 60 : 10) * MINUTE_MS).toISOString();
    await database.pool.query(
      `insert into otps (otp_id, email, code_hash, created_at, mailed_at, expires_at, purpose, owner_email, asker, is_long)
       values ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9)`,
      [
        id,
        this.email,
        HASH.right,
        this.#now,
        expiresAt,
        purpose,
        owner,
        by.charge === 'known' ? by.client : null,
        isLong,
      ],
    );
    const key = `${purpose} ${owner}`;
    if (isLong) this.longMails.set(key, [...(this.longMails.get(key) ?? []), this.nowMs]);
  }

  /** Sends a code from a network of its own. */
  async send(id: string, hash: Buffer): Promise<string> {
    const { rows } = await database.pool.query<{ verdict: string; is_short: boolean }>(
      `select v.verdict, o.expires_at > $5 and not o.is_long as is_short
       from otps as o, verify_otp($1, $2, $3, $4, 5, 30, $2, 100, $5) as v where o.otp_id = $1`,
      [id, this.email, hash, `10.8.${(this.#network += 1)}.1`, this.#now],
    );
    const { verdict, is_short: isShort } = rows[0]!;
    if (verdict === 'wrong' && isShort) this.guesses.push(this.nowMs);
    return verdict;
  }
}

const purpose = fc.constantFrom(...PURPOSES);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('wait' as const),
    minutes: fc.constantFrom(1, 8, 9, 10, 11, 50, 59, 61, 359, 1_439, 1_441),
  }),
  fc.record({
    do: fc.constant('ask' as const),
    purpose,
    networks: fc.constantFrom(1, 3, 10, 30),
    isKnown: fc.boolean(),
  }),
  fc.record({ do: fc.constant('guess' as const), ids: fc.constantFrom(1, 5, 30) }),
);

async function take(mailbox: Mailbox, taken: Step): Promise<void> {
  if (taken.do === 'wait') mailbox.nowMs += taken.minutes * MINUTE_MS;
  if (taken.do === 'ask') {
    for (let n = 0; n < taken.networks; n += 1) {
      await mailbox.ask(taken.purpose, taken.isKnown, taken.purpose === 'claim' ? `thief${n % 3}@example.com` : null);
    }
  }
  if (taken.do === 'guess') {
    for (const id of mailbox.ids.slice(-taken.ids)) {
      for (let tries = 0; tries < 6; tries += 1) await mailbox.send(id, HASH.wrong);
    }
  }
}

it('who reads the mail gets in after any acts of strangers at any times, with few mails and guesses', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), purpose, async (steps, wanted) => {
    const mailbox = new Mailbox();
    await mailbox.know();
    for (const each of steps) await take(mailbox, each);
    const { verdict, id } = await mailbox.ask(wanted, false, wanted === 'claim' ? 'honest@example.com' : null);
    expect(['mail', 'live']).toContain(verdict);
    expect(await mailbox.send(id, HASH.right)).toBe('right');
    for (const times of mailbox.longMails.values()) {
      times.slice(1).forEach((at, n) => expect(at - times[n]!).toBeGreaterThanOrEqual(59 * MINUTE_MS));
    }
    // A day begins with a wrong guess, so it shares at most one other with any span of the same length.
    for (const from of mailbox.guesses) {
      const inADay = mailbox.guesses.filter((at) => at >= from && at < from + DAY_MS);
      expect(inADay.length).toBeLessThanOrEqual(200);
    }
    const days = (mailbox.nowMs - BEGIN_MS) / DAY_MS;
    expect(mailbox.guesses.length).toBeLessThanOrEqual(100 * (Math.floor(days) + 1));
  });
  await fc.assert(property, { seed: 7, numRuns: 25 });
}, 60_000);
