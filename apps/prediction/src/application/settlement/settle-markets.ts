import type { Clock } from '@agent-wallet/kernel';
import { type BackgroundLoop, type Logger, startLoop } from '@agent-wallet/platform';
import type { MarketOutcome } from '../../domain/ledger/post-settlement.js';
import { DOLLAR_USD_MICROS } from '../../domain/ledger/amounts.js';
import type { Exchange, ExchangeMarket, ExchangeSettlement } from '../../ports/exchange.js';
import type { Leader } from '../../ports/leader.js';
import type { HeldMarket, SettlementStore } from '../../ports/settlement-store.js';

/** Dependencies of the settlement of markets. */
export interface SettleMarketsOptions {
  readonly ledger: SettlementStore;
  readonly exchange: Pick<Exchange, 'market' | 'settlements' | 'onHint'>;
  readonly leader: Leader;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DAY_MS = 86_400_000;
const IDLE_MS = 5_000;
/** Hints come from every market there is; more often than this they are left for the next round. */
const HINTED_EVERY_MS = 1_000;
/**
 * Markets without a settlement that are looked at in one round, in turn: the account may hold nothing of them on balance.
 */
const MARKETS_PER_ROUND = 10;

/** Finds the markets that were settled at the exchange, and settles them in the ledger. */
export class SettleMarkets {
  /** The market after which the next round begins. */
  #turn = '';

  constructor(private readonly options: SettleMarketsOptions) {}

  /** Settles by itself until it is stopped. */
  start(idleMs = IDLE_MS): BackgroundLoop {
    const { exchange, leader, logger, clock } = this.options;
    let lastMs = 0;
    const round = async () => {
      lastMs = clock.nowMs();
      await leader.lead('settlement', () => this.round());
      return false;
    };
    const loop = startLoop({ name: 'settlement', logger, idleMs, round });
    exchange.onHint(() => clock.nowMs() - lastMs >= HINTED_EVERY_MS && loop.wake());
    return loop;
  }

  /** Looks once at what may have been settled. One market's trouble does not hold up the others. */
  async round(): Promise<void> {
    const { ledger, exchange, clock } = this.options;
    const held = await ledger.heldMarkets();
    // Terms are fixed once: what has begun does not ask the exchange again.
    for (const { ticker, isBegun } of held) if (isBegun) await this.#attempt(ticker, () => this.#payHolders(ticker));
    const open = held.filter(({ isBegun }) => !isBegun);
    if (open.length === 0) return;
    const paid = await exchange.settlements(clock.nowMs() - DAY_MS);
    for (const { ticker } of this.#chosen(open, new Set(paid.map((each) => each.ticker)))) {
      await this.#attempt(ticker, () => this.#settleIfFinal(ticker, paid));
    }
  }

  async #attempt(ticker: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      const { logger } = this.options;
      logger.warn({ event: 'settlement.failed', ticker, err }, 'Market settlement failed; retrying');
    }
  }

  /** Returns the markets that the exchange has paid for, and some of the others in turn. */
  #chosen(held: readonly HeldMarket[], paid: ReadonlySet<string>): readonly HeldMarket[] {
    const others = held.filter(({ ticker }) => !paid.has(ticker));
    const from = others.findIndex(({ ticker }) => ticker > this.#turn);
    const looked = [...others.slice(Math.max(from, 0)), ...others.slice(0, Math.max(from, 0))];
    const inTurn = looked.slice(0, MARKETS_PER_ROUND);
    this.#turn = inTurn.at(-1)?.ticker ?? '';
    return [...held.filter(({ ticker }) => paid.has(ticker)), ...inTurn];
  }

  async #settleIfFinal(ticker: string, paid: readonly ExchangeSettlement[]): Promise<void> {
    const { ledger, exchange, logger } = this.options;
    const market = await exchange.market(ticker);
    // What is determined can be disputed: only what is final is money.
    if (market?.status !== 'settled') return;
    const payment = await this.#paymentOf(market, paid);
    const outcome = outcomeOf(market, payment);
    if (!outcome) {
      logger.error({ event: 'settlement.value_missing', ticker }, 'Settled market has no value');
      return;
    }
    // What is paid can be withdrawn at once: it waits until the exchange says one thing.
    if (isContradicted(outcome, payment)) {
      const fields = { event: 'settlement.contradicted', ticker } as const;
      logger.error(fields, 'Exchange sources disagree about a settled market');
      return;
    }
    const answer = await ledger.begin(outcome);
    const facts = { ticker, result: outcome.result, answer };
    if (answer === 'differs') {
      const paidUsdMicros = outcome.paid?.revenueUsdMicros.toString();
      const fields = { event: 'settlement.payment_mismatched', ...facts, paidUsdMicros } as const;
      logger.error(fields, 'Exchange payment differs from the positions');
    }
    if (answer === 'busy' || answer === 'unpaid') {
      logger.info({ event: 'settlement.postponed', ...facts }, 'Market not settled in this round');
    } else await this.#payHolders(ticker);
  }

  async #payHolders(ticker: string): Promise<void> {
    await this.options.ledger.payHolders(ticker);
    this.options.logger.info({ event: 'settlement.posted', ticker }, 'Market settled');
  }

  /** Returns the payment of a market. One that was settled long ago is found by its own date. */
  async #paymentOf(
    { ticker, settledAtMs }: ExchangeMarket,
    paid: readonly ExchangeSettlement[],
  ): Promise<ExchangeSettlement | undefined> {
    const found = paid.find((each) => each.ticker === ticker);
    if (found || settledAtMs === undefined) return found;
    const earlier = await this.options.exchange.settlements(settledAtMs - DAY_MS);
    return earlier.find((each) => each.ticker === ticker);
  }
}

/** Returns the outcome of a market; undefined when neither source says what a contract pays. */
function outcomeOf(
  { ticker, result: said, settlementValueUsdMicros }: ExchangeMarket,
  payment: ExchangeSettlement | undefined,
): MarketOutcome | undefined {
  const result = said ?? 'void';
  const yesValueUsdMicros = settlementValueUsdMicros ?? payment?.valueUsdMicros ?? VALUES[result];
  return yesValueUsdMicros === undefined ? undefined : { ticker, result, yesValueUsdMicros, paid: payment };
}

function isContradicted(
  { result, yesValueUsdMicros }: MarketOutcome,
  payment: ExchangeSettlement | undefined,
): boolean {
  const owed = VALUES[result];
  if (owed !== undefined && owed !== yesValueUsdMicros) return true;
  if (!payment) return false;
  if (payment.result === undefined) return true;
  return result !== 'void' && wordOf(payment.result) !== wordOf(result);
}

/** Returns `scalar` for a void market: it is paid like one, and the exchange may call it one. */
function wordOf(result: MarketOutcome['result']): MarketOutcome['result'] {
  return result === 'void' ? 'scalar' : result;
}

const VALUES: Readonly<Partial<Record<MarketOutcome['result'], bigint>>> = { yes: DOLLAR_USD_MICROS, no: 0n };
