import { eventually } from '@agent-wallet/testing';
import type { AgentClient, ClientResponse, HistoryRecord, TradeData, TradeOrder } from '../../src/index.js';
import type { Deployment } from './deployment.js';

export const MINTS = {
  SOL: 'So11111111111111111111111111111111111111112',
  USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  JUP: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
  BONK: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
  WIF: 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm',
  RAY: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R',
  ORCA: 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE',
} as const;

/** The symbol of a well-known token. */
export type TradedSymbol = keyof typeof MINTS;

/** The most that fee, tips and lasting rent of one trade may cost the wallet, in lamports. */
export const MOST_LAMPORTS = 5_000_000n + 2_039_280n;

/** Asks until the answer is final, as skill.md tells: the same key while the outcome is unknown. */
export function tradeUntilFinal(
  agent: AgentClient,
  order: TradeOrder,
  key: string,
): Promise<ClientResponse<TradeData>> {
  return eventually(
    () => agent.trade(order, key),
    ({ status }) => ![202, 409].includes(status),
    90_000,
  );
}

/** What was done, from a first response or a replay. */
export function resultOf({ status, body }: ClientResponse<TradeData>): TradeData {
  if (status !== 200) throw new Error(`no trade: ${status} ${JSON.stringify(body)}`);
  return body.data.originalResponse ?? body.data;
}

/** The agent's trades in history, the newest first. */
export async function tradesOf(agent: AgentClient): Promise<readonly HistoryRecord[]> {
  return (await agent.history('trade')).body.data.transactions;
}

/** A wallet as the chain has it. */
export interface Holdings {
  readonly lamports: bigint;
  /** Base units by mint. */
  readonly tokens: Readonly<Record<string, bigint>>;
}

/** Reads it, and proves that nothing is wrapped and that no other party controls any of its accounts. */
export async function holdingsOf({ sandbox }: Deployment, { address }: AgentClient): Promise<Holdings> {
  const accounts = await sandbox.accounts(address);
  const odd = accounts.filter(
    ({ mint, owner, delegate, closeAuthority }) =>
      mint === MINTS.SOL || owner !== address || (delegate ?? closeAuthority) !== null,
  );
  if (odd.length > 0) throw new Error(`accounts that should not be so: ${JSON.stringify(odd)}`);
  return {
    lamports: await sandbox.balanceRaw(address, 'SOL'),
    tokens: Object.fromEntries(accounts.map(({ mint, raw }) => [mint, BigInt(raw)])),
  };
}

/** How many transactions of the wallet have landed, failed ones included. */
export async function landedCount({ sandbox }: Deployment, { address }: AgentClient): Promise<number> {
  return (await sandbox.transactions(address)).length;
}
