import { newId } from '@agent-wallet/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentClient } from '../client/agent-client.js';
import type { AdditionResult, BuyResult, ClientResponse, RemovalResult, Schemas } from '../client/responses.js';
import { amountOf, type Amounts, micros, type Token, valueMicros } from './amounts.js';
import type { Caller } from './caller.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';

/** Codes with which a trade or an order may end without effect; the service is not at fault then. */
const NOT_DONE = ['SLIPPAGE_EXCEEDED', 'NO_ROUTE', 'NO_LIQUIDITY', 'MARKET_CLOSED', 'MARKET_PAUSED'];
const NOT_POOLED = ['SLIPPAGE_EXCEEDED', 'POOL_PRICE_DEVIATES'];
/** A service may be away for as long as its pods take to restart. */
const TIMEOUT_MS = 240_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 5_000;

/** Dependencies of a load agent. */
interface LoadAgentParts {
  readonly agent: AgentClient;
  readonly caller: Caller;
  readonly amounts: Amounts;
  readonly random: Random;
  /** Whom it sends money to. */
  readonly others: readonly string[];
  /** Price of a SOL, in whole dollars. */
  readonly solUsd: number;
  /** A market with more to buy than any agent will. */
  readonly ticker: string;
  /** A pool of SOL and USDC that is far larger than what all agents add. */
  readonly pool: string;
  /** Between two of its requests. */
  readonly pauseMs: number;
}

/** Data of an API response; for a duplicate, those of its first response. */
type Answered<Data> = Data & {
  readonly code?: string;
  readonly originalResponse?: Data;
  readonly transactionId?: string;
};

/** An agent that sends, trades, bets, provides liquidity and reads, one request after the other, and writes down the responses. */
export class LoadAgent {
  readonly ledger = new Ledger();

  constructor(private readonly parts: LoadAgentParts) {}

  get agent(): AgentClient {
    return this.parts.agent;
  }

  /** Acts until stopped; finishes what it has begun. */
  async live(isOver: () => boolean): Promise<void> {
    const { random, pauseMs } = this.parts;
    while (!isOver()) {
      const kind = random.integer(1, 20);
      if (kind <= 12) await this.#transfer(kind <= 7 ? 'USDC' : 'SOL');
      else if (kind <= 16) await this.#read();
      else if (kind <= 17) await this.#provideLiquidity();
      else if (kind <= 19) await this.#trade();
      else await this.#order();
      await pause(random.integer(0, 2 * pauseMs));
    }
  }

  async #transfer(token: Token): Promise<void> {
    const { agent, amounts, random, others, solUsd } = this.parts;
    const raw = amounts.next(token);
    const to = random.pick(others);
    const order = { to, amount: amountOf(token, raw), ...(token === 'SOL' ? {} : { mint: token }) };
    this.ledger.asked.transfers += 1;
    const done = await this.#done<Schemas['TransferResult']>('transfer', (key) => agent.transfer(order, key), []);
    if (!done) return;
    this.ledger.transfers.push({ id: done.transactionId, to, token, raw, signature: done.signature });
    this.#note(done.transactionId, [done.signature]);
    this.ledger.countedMicros += valueMicros(token, raw, solUsd);
    if (done.amountRaw !== raw.toString()) this.ledger.surprises.push(`${done.transactionId} sent ${done.amountRaw}`);
  }

  async #trade(): Promise<void> {
    const { agent, amounts, random, solUsd } = this.parts;
    const [from, to] = random.pick<readonly [Token, Token]>([
      ['SOL', 'USDC'],
      ['USDC', 'SOL'],
    ]);
    const raw = amounts.next(from);
    const order = { from, to, amount: amountOf(from, raw), slippageBps: 500 };
    this.ledger.asked.trades += 1;
    const done = await this.#done<Schemas['TradeResult']>('trade', (key) => agent.trade(order, key), NOT_DONE);
    if (!done) return;
    this.#note(done.transactionId, [done.signature]);
    this.ledger.changed[from] -= BigInt(done.inputAmountRaw);
    this.ledger.changed[to] += BigInt(done.outputAmountRaw);
    this.ledger.countedMicros += valueMicros(from, raw, solUsd);
  }

  /** Adds to the position, or removes it where there is one. */
  async #provideLiquidity(): Promise<void> {
    const { ledger, parts } = this;
    this.ledger.asked.liquidity += 1;
    await (ledger.liquidity > 0n && parts.random.integer(1, 2) === 1 ? this.#removeLiquidity() : this.#addLiquidity());
  }

  async #addLiquidity(): Promise<void> {
    const { agent, amounts, pool, solUsd } = this.parts;
    const order = { pool, token: 'USDC', amount: amountOf('USDC', 5n * amounts.next('USDC')), slippageBps: 300 };
    const done = await this.#done<AdditionResult>('add', (key) => agent.addLiquidity(order, key), NOT_POOLED);
    if (!done) return;
    this.#note(done.transactionId, [done.signature]);
    const spent = rawOf(done.spent);
    this.ledger.liquidity += BigInt(done.liquidityRaw);
    this.ledger.lpMint = done.lpMint;
    this.ledger.changed.USDC -= spent.USDC;
    this.ledger.changed.SOL -= spent.SOL + BigInt(done.rentLamports);
    this.ledger.countedMicros += spent.USDC + partOf(done.spent, spent.SOL, solUsd);
  }

  async #removeLiquidity(): Promise<void> {
    const { agent, pool, random } = this.parts;
    const order = { positionId: pool, percent: random.pick([25, 100]), slippageBps: 300 };
    const done = await this.#done<RemovalResult>('remove', (key) => agent.removeLiquidity(order, key), NOT_POOLED);
    if (!done) return;
    this.#note(done.transactionId, [done.signature]);
    const received = rawOf(done.received);
    this.ledger.liquidity -= BigInt(done.liquidityRaw);
    this.ledger.changed.USDC += received.USDC;
    this.ledger.changed.SOL += received.SOL;
  }

  async #order(): Promise<void> {
    const { agent, random, ticker } = this.parts;
    const order = { ticker, side: random.pick(['yes', 'no'] as const), count: random.integer(1, 3) };
    this.ledger.asked.orders += 1;
    const done = await this.#done<BuyResult>('order', (key) => agent.predictions.buy(order, key), NOT_DONE);
    if (!done) return;
    this.#note(done.transactionId, [done.signature, done.refundSignature]);
    const kept = done.refundedToBalance ? micros(done.refundedDollars) : 0n;
    const cost = micros(done.totalCostDollars) + micros(done.feeDollars) + kept;
    this.ledger.changed.USDC -= cost;
    this.ledger.countedMicros += cost;
  }

  async #read(): Promise<void> {
    const { agent, caller, random } = this.parts;
    this.ledger.asked.reads += 1;
    const [what, request] = random.pick<readonly [string, () => Promise<ClientResponse<unknown>>]>([
      ['balances', () => agent.balances()],
      ['history', () => agent.transfers()],
      ['usage', () => agent.usage()],
    ]);
    const answer = await caller.once(what, request);
    if (answer && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      this.ledger.surprises.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  /**
   * Asks for something until it is done: after the API's own 5xx, which says that nothing moved, with a new key.
   * @returns what was done; undefined when it was refused for one of the reasons named
   */
  async #done<Data>(
    what: string,
    ask: (key: string) => Promise<ClientResponse<Data & { readonly originalResponse?: Data }>>,
    mayRefuse: readonly string[],
  ): Promise<Data | undefined> {
    const untilMs = performance.now() + TIMEOUT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; performance.now() < untilMs; pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS)) {
      const key = newId();
      const answer = await this.parts.caller.untilFinal(what, () => ask(key));
      if (!answer) {
        this.ledger.surprises.push(`${what} with the key ${key} had no outcome in time`);
        return undefined;
      }
      const data = answer.body.data as Answered<Data>;
      if (answer.status === 200) return data.originalResponse ?? data;
      if (data.transactionId) this.ledger.ended.set(data.transactionId, 'not done');
      if (answer.status < 500) {
        this.ledger.asked.refused += 1;
        if (!mayRefuse.includes(data.code ?? '')) this.ledger.surprises.push(`${what}: ${JSON.stringify(answer.body)}`);
        return undefined;
      }
      this.ledger.asked.undone += 1;
      await pause(pauseMs);
    }
    this.ledger.surprises.push(`${what}: nothing but 5xx for ${TIMEOUT_MS / 1_000} s`);
    return undefined;
  }

  #note(id: string, signatures: ReadonlyArray<string | null>): void {
    this.ledger.ended.set(id, 'confirmed');
    for (const signature of signatures) if (signature) this.ledger.signatures.add(signature);
  }
}

/** Returns base units of SOL and USDC that went into a pool, or came out of it. */
function rawOf(tokens: ReadonlyArray<Schemas['LiquidityToken']>): Record<Token, bigint> {
  const of = (symbol: Token) => BigInt(tokens.find((token) => token.symbol === symbol)?.amountRaw ?? 0);
  return { SOL: of('SOL'), USDC: of('USDC') };
}

/** Returns what an addition counts for the SOL that left: its part of the counted maximum, rounded up. */
function partOf(spent: AdditionResult['spent'], sol: bigint, solUsd: number): bigint {
  const max = BigInt(spent.find(({ symbol }) => symbol === 'SOL')?.maxAmountRaw ?? 0);
  return max === 0n ? 0n : (valueMicros('SOL', max, solUsd) * sol + max - 1n) / max;
}
