import { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { createHash, randomBytes } from 'node:crypto';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { OperatorBounds } from '../src/adapters/reservation-rows.js';
import { PostgresFreezeStore } from '../src/adapters/postgres-freeze-store.js';
import { PostgresPolicyStore } from '../src/adapters/postgres-policy-store.js';
import type { Attempt, AttemptState } from '../src/domain/attempt.js';
import type { Decision, Grant } from '../src/domain/decision.js';
import type { Policy } from '../src/domain/policy.js';
import { DEFAULT_POLICY } from '../src/domain/policy.js';
import type { SponsorshipBounds } from '../src/domain/sponsorship.js';
import type { ReservationStore, ReservationRequest } from '../src/ports/reservation-store.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';

export const USD = 1_000_000n;
export const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
export const RECIPIENT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** The store on a database of its own, as two replicas of policy see it. */
export interface ReservationsUnderTest {
  readonly database: PolicyDatabase;
  readonly store: PostgresReservationStore;
  readonly replica: PostgresReservationStore;
  readonly policies: PostgresPolicyStore;
  readonly freezes: PostgresFreezeStore;
  close(): Promise<void>;
}

export async function openStore(bounds: Partial<OperatorBounds> = {}): Promise<ReservationsUnderTest> {
  const database = await openPolicyDatabase();
  const outbox = createOutbox('policy', { nowMs: () => 0 });
  return {
    database,
    store: new PostgresReservationStore(database.policy, bounds),
    replica: new PostgresReservationStore(database.another(), bounds),
    policies: new PostgresPolicyStore(database.policy, outbox),
    // Connections of its own: a freeze must not stand in the queue behind what it is to stop.
    freezes: new PostgresFreezeStore(database.another(), outbox),
    close: () => database.close(),
  };
}

/** What may be paid out in a day where payouts are tested. */
export const PAID_A_DAY = 1_000n * USD;

/** Bounds that nothing there comes to. */
const WIDE_BOUNDS: SponsorshipBounds = {
  maxLamportsPerTransaction: 100n,
  maxLamportsPerAgentDay: 100_000n,
  maxLamportsPerDay: 100_000n,
  maxAccountsPerAgentDay: 3,
};

/** A store that pays out, with what its tests ask again and again. */
export interface PayoutsUnderTest extends ReservationsUnderTest {
  readonly replicas: readonly [PostgresReservationStore, PostgresReservationStore];
  /** Forgets what was reserved and paid out. @returns a new agent */
  startOver(): Promise<string>;
  verdictOf(asked: ReservationRequest): Promise<Decision['verdict']>;
  /** Asks both replicas in turn, without waiting for either. */
  atOnce(asked: readonly ReservationRequest[]): Promise<ReadonlyArray<Grant | Decision | undefined>>;
}

/** The store with a limit on the payouts of a day. */
export async function openPayouts(): Promise<PayoutsUnderTest> {
  const opened = await openStore({ sponsorship: WIDE_BOUNDS, maxPayoutsPerDay: PAID_A_DAY });
  const { database, store, replica } = opened;
  const replicas = [store, replica] as const;
  return {
    ...opened,
    replicas,
    startOver: async () => {
      await database.shiftClock('0');
      await database.rows('delete from reservations');
      await database.rows('update payouts set paid_out_amount = 0');
      return newAgent(database);
    },
    verdictOf: async (asked) => (await store.reserve(asked))!.verdict,
    atOnce: (asked) => Promise.all(asked.map((each, n) => replicas[n % 2]!.reserve(each))),
  };
}

/** An agent with a policy; of a mailbox of its own unless the test names one. */
export async function newAgent(
  database: PolicyDatabase,
  { mailboxId, ...change }: Partial<Policy> & { readonly mailboxId?: Buffer } = {},
): Promise<string> {
  const agentId = newId();
  const policy = { ...DEFAULT_POLICY, ...change };
  await database.rows(
    `insert into policies values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    agentId,
    policy.maxSingleTransactionUsdMicros,
    policy.dailyLimitUsdMicros,
    policy.allowedRecipients,
    policy.allowTrading,
    policy.allowLiquidityProvision,
    policy.allowPredictionMarkets,
    policy.sessionExpirationHours,
  );
  if (mailboxId) await database.rows('update policies set mailbox_id = $2 where agent_id = $1', agentId, mailboxId);
  return agentId;
}

/** A request for a new operation, with what the test cares about. */
export function request(agentId: string, change: Partial<ReservationRequest> = {}): ReservationRequest {
  const intent: intentV1.Intent = { wallet: WALLET, action: undefined };
  return {
    operationId: newId(),
    step: 1,
    attempt: 1,
    agentId,
    intent: intentV1.Intent.encode(intent).finish(),
    messageHash: createHash('sha256').update(randomBytes(8)).digest(),
    kind: 'payment',
    recipient: RECIPIENT,
    valueUsdMicros: 10n * USD,
    ...change,
  };
}

/** A transaction as its maker describes it, and what is asked for it. */
export interface AskedTransaction {
  readonly intent: intentV1.Intent;
  readonly asked: ReservationRequest;
}

/** A transfer of so many dollars to a recipient, by a new operation. */
export function transferOf(agentId: string, dollars: bigint, recipient = RECIPIENT): AskedTransaction {
  const value: intentV1.Transfer = {
    ...{ recipient, mint: '', tokenProgram: '', decimals: 9, amount: 1n, memo: '' },
    createsRecipientAccount: false,
  };
  const intent: intentV1.Intent = { wallet: WALLET, action: { $case: 'transfer', value } };
  const encoded = intentV1.Intent.encode(intent).finish();
  return { intent, asked: request(agentId, { intent: encoded, recipient, valueUsdMicros: dollars * USD }) };
}

/** Value of the rent of an account, which a payment has that is worth just enough. */
export const RENT_USD = { rentUsdMicros: 305_892n, receivedUsdMicros: 305_892n };

/** A request for a new operation of which the sponsor pays so much, worth enough for the account that it makes. */
export function sponsoredRequest(agentId: string, lamports: bigint, makesAccount = false): ReservationRequest {
  const account = makesAccount ? RENT_USD : undefined;
  return request(agentId, { valueUsdMicros: 1n, sponsorship: { lamports, makesAccount, account } });
}

/** A request for an escrow of a new operation, worth its face value unless the test says otherwise. */
export function escrow(agentId: string, amount: bigint, change: Partial<ReservationRequest> = {}): ReservationRequest {
  return request(agentId, { kind: 'escrow', recipient: undefined, amount, valueUsdMicros: amount, ...change });
}

/** A request for a payout: of a new operation, or as step 3 of a given one. */
export function payout(agentId: string, amount: bigint, change: Partial<ReservationRequest> = {}): ReservationRequest {
  return request(agentId, { kind: 'payout', step: 3, recipient: undefined, amount, valueUsdMicros: 0n, ...change });
}

/** Reserves a value and ends it with an outcome. */
export async function spend(
  store: ReservationStore,
  agentId: string,
  valueUsdMicros: bigint,
  outcome: Exclude<AttemptState, 'open'> = 'settled',
): Promise<void> {
  await end(store, request(agentId, { valueUsdMicros }), outcome);
}

/** Reserves what is asked for and ends it with an outcome. */
export async function end(
  store: ReservationStore,
  asked: ReservationRequest,
  outcome: Exclude<AttemptState, 'open'> = 'settled',
): Promise<void> {
  const decision = await store.reserve(asked);
  if (decision?.verdict !== 'granted') throw new Error(`not granted: ${decision?.verdict}`);
  await store.settle((await store.find(asked)) as Attempt, { state: outcome });
}

/** How many were granted. */
export function granted(decisions: ReadonlyArray<Grant | Decision | undefined>): number {
  return decisions.filter((decision) => decision?.verdict === 'granted').length;
}
