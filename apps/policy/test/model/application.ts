import { intentV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { AppError, newId, type UsdPrice } from '@agent-wallet/kernel';
import { type AcceptedPrices, acceptedPrices, type PriceResult } from '@agent-wallet/prices';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { randomBytes } from 'node:crypto';
import { PostgresAcceptedPriceStore } from '../../src/adapters/postgres-accepted-price-store.js';
import { PostgresTokenStore } from '../../src/adapters/postgres-token-store.js';
import type { OwnerConsole } from '../../src/application/owners/owner-console.js';
import { RequestToken } from '../../src/application/owners/request-token.js';
import { UpdatePolicy } from '../../src/application/policies/manage-policy.js';
import { tokenValue } from '../../src/application/pricing/token-value.js';
import { EndToken, OpenToken } from '../../src/application/tokens/manage-tokens.js';
import type { PolicyChange } from '../../src/domain/policy.js';
import { USDC } from '../policy-peers.js';
import { replicaOn } from '../owner-acts.js';
import { escrowIntent, newWallet, swapIntent, transferIntent } from '../service.js';
import { openStore, type ReservationsUnderTest, WALLET } from '../store-support.js';
import { type Change, type Grant, OFF_CURVE, type PolicyFields, type Asking, PRICES, RECIPIENTS } from './steps.js';
import { textOf } from './model-steps.js';

const CONSOLE = { origin: 'https://owner.example.com', rpId: 'owner.example.com', claimDelayHours: 24 } as OwnerConsole;
const START_MS = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;

/** The addresses and mints behind the places of steps. */
export const ADDRESSES = Array.from({ length: RECIPIENTS }, (_, n) =>
  n === OFF_CURVE
    ? associatedTokenAddress({ owner: newWallet().address, mint: USDC, tokenProgram: TOKEN_PROGRAM })
    : newWallet().address,
);
export const MINTS = [newWallet().address, newWallet().address] as const;
export const TICKER = 'KXHIGHNY-26NOV27-B42';

/** Policy's use cases on a database whose clock a row holds. */
export async function openApplication() {
  const world = await openStore();
  const { database } = world;
  await database.stopClock(new Date(0).toISOString());
  const tokens = new PostgresTokenStore(database.policy, createOutbox('policy', { nowMs: () => 0 }));
  const replica = replicaOn(database.policy);
  return {
    ...{ world, replica },
    update: new UpdatePolicy(world.policies),
    bind: tokens,
    open: new OpenToken(tokens),
    end: new EndToken(tokens),
    requestToken: new RequestToken(replica.approvals, CONSOLE),
    close: () => world.close(),
  };
}

export type Application = Awaited<ReturnType<typeof openApplication>>;

/** The clock and the price of a sequence. */
export class Market {
  minutes = 0;
  cents = 0n;
  readonly mint = newWallet().address;
  readonly prices: AcceptedPrices;
  #readings = 0;

  constructor(private readonly world: ReservationsUnderTest) {
    const clock = { nowMs: () => this.nowMs() };
    // Every reading is a second later, so that the second one after a jump confirms it.
    const read = (): PriceResult => {
      const readAtMs = this.nowMs() + 1_000 * this.#readings++;
      const price: UsdPrice = { digits: this.cents, scale: 2 };
      return { price, decimals: 0, liquidityUsd: null, pricedAtMs: readAtMs, readAtMs };
    };
    this.prices = acceptedPrices({
      counting: { prices: async () => new Map([[this.mint, read()]]) },
      ...{ clock, store: new PostgresAcceptedPriceStore(world.database.policy), pause: async () => {} },
    });
  }

  nowMs(): number {
    return START_MS + this.minutes * MINUTE_MS;
  }

  async goTo(minutes: number, price: number): Promise<void> {
    this.minutes = minutes;
    this.cents = PRICES[price]!;
    await this.world.database.stopClock(new Date(this.nowMs()).toISOString());
  }

  /** Returns the value of an amount at the highest price of the day. */
  valueOf(amount: bigint): Promise<bigint | undefined> {
    return tokenValue(this.prices, { mint: this.mint, amount, decimals: 0 });
  }
}

/** Returns a change as the product takes it. */
export function policyChange({ recipients, mints, trading, betting, ...rest }: Change): PolicyChange {
  return {
    maxSingleTransactionUsdMicros: rest.single,
    dailyLimitUsdMicros: rest.daily,
    newRecipients: rest.newRecipients,
    approveAboveUsdMicros: rest.approveAbove,
    allowTrading: trading,
    allowPredictionMarkets: betting,
    allowedRecipients: recipients?.map((place) => ADDRESSES[place]!),
    allowedTokens: mints && mints.map((place) => MINTS[place]!),
  };
}

/** Returns the terms of a token that is opened now. */
export function grantOf({ scopes, recipients, single, daily, total, minutes }: Grant, nowMs: number) {
  return {
    ...{ name: 'A bot', scopes, expiresAtMs: nowMs + minutes * MINUTE_MS },
    recipients: recipients?.map((place) => ADDRESSES[place]!),
    ...{ maxSingleUsdMicros: single ?? undefined, dailyUsdMicros: daily ?? undefined },
    totalUsdMicros: total ?? undefined,
  };
}

/** Returns the intent of an operation, and what of it policy is asked about. */
export function spendingOf({ kind, target, amount }: Pick<Asking, 'kind' | 'target' | 'amount'>) {
  switch (kind) {
    case 'payment': {
      const recipient = ADDRESSES[target]!;
      const intent = transferIntent(WALLET, { recipient, mint: '', tokenProgram: '', decimals: 9, amount });
      return { intent, priced: { kind, recipient, recipientIsOffCurve: target === OFF_CURVE } };
    }
    case 'trade': {
      const acquired = MINTS[target % MINTS.length]!;
      const intent = swapIntent(WALLET, { inputAmount: amount, outputMint: acquired });
      const worth = { inputUsdMicros: 0n, leastOutputUsdMicros: 0n };
      const trade = { ...worth, lossBps: 0, maxLossBps: 5_000, takesUnpriced: false };
      return { intent, priced: { kind, acquiredMints: [acquired], trade } };
    }
    case 'escrow':
      return { intent: escrowIntent(WALLET, { amount }), priced: { kind, ticker: TICKER, amount } };
  }
}

/** Encodes an intent as a request carries it. */
export function encoded(intent: intentV1.Intent): Uint8Array {
  return intentV1.Intent.encode(intent).finish();
}

/** Returns the code of an error, with what it says of a state or a rule. */
export function codeOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  const { reason, state, rule } = (error.data ?? {}) as { reason?: string; state?: string; rule?: string };
  return [error.code, reason ?? state ?? rule].filter((each) => each !== undefined).join(' ');
}

/** Names a new agent, and people with passkeys, of whom the first is to be its owner. */
export function newOwned() {
  return {
    agentId: newId(),
    owners: Array.from({ length: 3 }, () => ({ ownerId: newId(), credentialId: randomBytes(16) })),
  };
}

export type Owned = ReturnType<typeof newOwned>;

/** Makes the agent as a sequence begins: claimed by its owner, with a policy and tokens. One statement, as it is made often. */
export async function openOwned(
  { world: { database } }: Application,
  { agentId, owners }: Owned,
  {
    policy,
    grants,
    tokenIds,
  }: { readonly policy: PolicyFields; readonly grants: readonly Grant[]; readonly tokenIds: readonly string[] },
): Promise<void> {
  const { newRecipients, approveAboveUsdMicros, ...rest } = policyChange(policy);
  await database.rows(
    `insert into policies (agent_id, max_single_transaction_usd_micros, daily_limit_usd_micros, allowed_recipients,
       allow_trading, allow_liquidity_provision, allow_prediction_markets, session_expiration_hours, claimed_at,
       new_recipients, approve_above_usd_micros, new_recipients_since)
     values ($1, $2, $3, $4, $5, true, $6, 168, policy.now(), $7, $8, case when $7 <> 'allow' then policy.now() end)`,
    ...[agentId, rest.maxSingleTransactionUsdMicros, rest.dailyLimitUsdMicros, rest.allowedRecipients],
    ...[rest.allowTrading, rest.allowPredictionMarkets, newRecipients, approveAboveUsdMicros],
  );
  const tokens = grants.map((grant, n) => ({ id: tokenIds[n], ...grantOf(grant, START_MS) }));
  await database.rows(
    `with added as (insert into passkeys select unnest($2::bytea[]), unnest($3::uuid[]), '', 0, '', policy.now()),
       opened as (
         insert into tokens (id, agent_id, name, scopes, recipients, max_single_usd_micros, daily_usd_micros,
           total_usd_micros, created_at, expires_at)
         select id, $1, name, scopes, recipients, "maxSingleUsdMicros", "dailyUsdMicros", "totalUsdMicros", policy.now(),
           to_timestamp("expiresAtMs" / 1000.0)
         from json_to_recordset($4) as t (id uuid, name text, scopes text[], recipients text[],
           "maxSingleUsdMicros" bigint, "dailyUsdMicros" bigint, "totalUsdMicros" bigint, "expiresAtMs" bigint))
     insert into agent_owners values ($1, ($3::uuid[])[1], 'owner', policy.now())`,
    ...[agentId, owners.map(({ credentialId }) => credentialId), owners.map(({ ownerId }) => ownerId), textOf(tokens)],
  );
}
