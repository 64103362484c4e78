import { cpmmAddresses } from '@agent-wallet/solana';
import { deepStrictEqual } from 'node:assert';
import type {
  AdditionResult,
  AgentClient,
  ClientResponse,
  HistoryRecord,
  LiquidityPool,
  RemovalResult,
} from '../../src/index.js';
import type { Deployment } from './deployment.js';
import { type Holdings, holdingsOf } from './trading.js';

/** The pool of SOL and USDC that a new sandbox has, of the lowest fee, and the mint of its liquidity tokens. */
export const SOL_USDC = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
export const SOL_USDC_LP = 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR';

/** Accounts of the fee tiers: of 0.25 % and of 1 %. */
const CONFIGS = [
  'D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2',
  'G95xxie3XbkCqtE39GgQ9Ggc7xBC8Uceve7HFDEFApkc',
] as const;

/** Returns the address of the pool of two mints, which are named in its order. */
export function poolAddress(mint0: string, mint1: string, configIndex: 0 | 1 = 0): string {
  return cpmmAddresses({ config: CONFIGS[configIndex], mints: [mint0, mint1] }).pool;
}

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
export async function movedSince(deployment: Deployment, agent: AgentClient, before: Holdings): Promise<Holdings> {
  const after = await holdingsOf(deployment, agent);
  const mints = new Set([...Object.keys(before.tokens), ...Object.keys(after.tokens)]);
  const tokens = [...mints].map((mint) => [mint, (after.tokens[mint] ?? 0n) - (before.tokens[mint] ?? 0n)] as const);
  return {
    lamports: after.lamports - before.lamports,
    tokens: Object.fromEntries(tokens.filter(([, units]) => units !== 0n)),
  };
}

/** Returns what an answer says that moved in the wallet. */
export function movementOf(done: AdditionResult | RemovalResult): Holdings {
  const isAddition = 'spent' in done;
  const direction = isAddition ? -1n : 1n;
  const tokens: Record<string, bigint> = { [done.lpMint]: -direction * BigInt(done.liquidityRaw) };
  let lamports = -BigInt(done.rentLamports) - BigInt(done.networkFeeLamports);
  for (const { mint, amountRaw } of isAddition ? done.spent : done.received) {
    if (mint === null) lamports += direction * BigInt(amountRaw);
    else tokens[mint] = direction * BigInt(amountRaw);
  }
  return { lamports, tokens };
}

/** Returns what a dry run says that will move in the wallet. */
export function movementInDryRun({
  balanceChanges,
}: {
  readonly balanceChanges: ReadonlyArray<{ readonly mint: string | null; readonly amountRaw: string }>;
}): Holdings {
  const native = balanceChanges.filter(({ mint }) => mint === null);
  const others = balanceChanges.filter(({ mint }) => mint !== null);
  return {
    lamports: native.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n),
    tokens: Object.fromEntries(others.map(({ mint, amountRaw }) => [mint!, BigInt(amountRaw)])),
  };
}

/**
 * Adds or removes, and proves that the answer is what moved in the wallet and in the pool, to the base unit.
 * @throws AssertionError when it is not
 */
export async function exactly<Result extends AdditionResult | RemovalResult>(
  { deployment, agent, pool }: { deployment: Deployment; agent: AgentClient; pool: string },
  ask: () => Promise<ClientResponse<Result & { readonly originalResponse?: Result }>>,
): Promise<Result> {
  const [wallet, before] = [await holdingsOf(deployment, agent), await poolOf(deployment, pool)];
  const done = doneOf<Result>(await ask());
  deepStrictEqual(await movedSince(deployment, agent, wallet), movementOf(done));
  const after = await poolOf(deployment, pool);
  const isAddition = 'spent' in done;
  const tokens = isAddition ? done.spent : done.received;
  const sign = isAddition ? 1n : -1n;
  deepStrictEqual(
    after.reserves.map((reserve, side) => BigInt(reserve) - BigInt(before.reserves[side]!)),
    tokens.map(({ amountRaw }) => sign * BigInt(amountRaw)),
  );
  deepStrictEqual(BigInt(after.lpSupply) - BigInt(before.lpSupply), sign * BigInt(done.liquidityRaw));
  return done;
}

/** Returns the agent's records of both actions, the newest first of each. */
export async function liquidityRecords(agent: AgentClient): Promise<readonly HistoryRecord[]> {
  const [added, removed] = await Promise.all([agent.history('liquidity_add'), agent.history('liquidity_remove')]);
  return [...added.body.data.transactions, ...removed.body.data.transactions];
}

/** Lets an agent spend what a test needs. */
export async function withoutLimits(agent: AgentClient): Promise<AgentClient> {
  await agent.patchPolicy({ maxSingleTransactionInUsd: 1_000_000, dailyLimitInUsd: 1_000_000 });
  return agent;
}
