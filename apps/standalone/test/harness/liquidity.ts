import type { AdditionResult, AgentClient, ClientResponse, LiquidityPool, RemovalResult } from '../../src/index.js';
import type { Deployment } from './deployment.js';
import { type Holdings, holdingsOf } from './trading.js';

/** The pool of SOL and USDC that a new sandbox has, of the lowest fee, and the mint of its liquidity tokens. */
export const SOL_USDC = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
export const SOL_USDC_LP = 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR';

/** Reads a pool. */
export async function poolOf({ sandbox }: Deployment, address: string): Promise<LiquidityPool> {
  const pools = await sandbox.pools();
  return pools.find(({ pool }) => pool === address)!;
}

/** Returns what was done, from a first response or a replay. */
export function doneOf<Result extends AdditionResult | RemovalResult>({
  status,
  body,
}: ClientResponse<Result & { readonly originalResponse?: Result }>): Result {
  if (status !== 200) throw new Error(`nothing was done: ${status} ${JSON.stringify(body)}`);
  return body.data.originalResponse ?? body.data;
}

/** Returns what a wallet holds more than before, by mint and in lamports, without what is the same. */
export async function movedSince(deployment: Deployment, agent: AgentClient, before: Holdings) {
  const after = await holdingsOf(deployment, agent);
  const mints = new Set([...Object.keys(before.tokens), ...Object.keys(after.tokens)]);
  const tokens = [...mints].map((mint) => [mint, (after.tokens[mint] ?? 0n) - (before.tokens[mint] ?? 0n)] as const);
  return {
    lamports: after.lamports - before.lamports,
    tokens: Object.fromEntries(tokens.filter(([, units]) => units !== 0n)),
  };
}
