import { eventually } from '@agent-wallet/testing';
import { randomInt } from 'node:crypto';
import type { AgentClient, ClientResponse, BuyResult, NewMarket, Repeated, SellResult } from '../../src/index.js';
import type { Deployment } from './deployment.js';
import { micros } from './spending.js';

/** Adds a market with resting liquidity; its ticker. Without a word about it: 60 cents bid for yes, 65 asked. */
export async function addMarket(deployment: Deployment, more: Partial<NewMarket> = {}): Promise<string> {
  // Files that share a deployment share its exchange.
  const ticker = `TEST-${randomInt(1e9)}`;
  await deployment.sandbox.addMarket({
    ticker,
    title: `${ticker}?`,
    yesBid: 60,
    yesAsk: 65,
    size: 1_000,
    ...more,
  });
  return ticker;
}

/** Asks until the answer is final, as skill.md tells: the same key while the outcome is unknown. */
export function untilFinal<Data>(
  ask: () => Promise<ClientResponse<Data>>,
  withinMs = 90_000,
): Promise<ClientResponse<Data>> {
  return eventually(
    () => ask().catch(() => ({ status: 0 }) as ClientResponse<Data>),
    ({ status }) => ![0, 202, 409].includes(status),
    withinMs,
  );
}

/** What was done, from a first response or a replay. */
export function doneOf<Result extends object>({ status, body }: ClientResponse<Repeated<Result>>): Result {
  if (status !== 200) throw new Error(`it was not done: ${status} ${JSON.stringify(body)}`);
  return body.data.originalResponse ?? body.data;
}

/** Base units of USDC in the agent's wallet, on chain. */
export function usdcOf({ sandbox }: Deployment, { address }: AgentClient): Promise<bigint> {
  return sandbox.balanceRaw(address, 'USDC');
}

/** What a purchase has cost the wallet, in micro-dollars. */
export function costOf({ totalCostDollars, feeDollars }: BuyResult): bigint {
  return micros(totalCostDollars) + micros(feeDollars);
}

/** What a sale has brought the wallet, in micro-dollars. */
export function proceedsOf({ totalProceedsDollars, feeDollars }: SellResult): bigint {
  return micros(totalProceedsDollars) - micros(feeDollars);
}

/** What the operator holds of a market at the exchange: contracts, yes positive. */
export async function heldAtExchange({ sandbox }: Deployment, ticker: string): Promise<number> {
  const { positions } = await sandbox.exchangeAccount();
  return Number(positions.find((position) => position.ticker === ticker)?.position ?? 0);
}

/** How many of the exchange's orders are of a market. */
export async function ordersAtExchange({ sandbox }: Deployment, ticker: string): Promise<number> {
  const { orders } = await sandbox.exchangeAccount();
  return orders.filter((order) => order['ticker'] === ticker).length;
}
