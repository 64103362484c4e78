import { eventually } from '@agent-wallet/testing';
import type { AgentClient, HistoryRecord } from '../../src/index.js';

/** Exact micro-dollars of a JSON number with at most 6 decimals. */
export function micros(usd: number): bigint {
  return BigInt(Math.round(usd * 1_000_000));
}

interface Usage {
  readonly used: bigint;
  readonly reserved: bigint;
}

/** Reads what is settled and reserved now; undefined while policy cannot say. */
async function usageNow(agent: AgentClient): Promise<Usage | undefined> {
  const { status, body } = await agent.usage();
  if (status !== 200) return undefined;
  return { used: micros(body.data.settledUsd), reserved: micros(body.data.reservedUsd) };
}

/** Reads what is settled and reserved now. @throws Error while policy cannot say */
export async function usageOf(agent: AgentClient): Promise<Usage> {
  const usage = await usageNow(agent);
  if (!usage) throw new Error('policy does not say what is used');
  return usage;
}

/** Waits until no reservation is open, and answers what is used then. */
export async function usedWhenQuiet(agent: AgentClient): Promise<bigint> {
  const usage = await eventually(
    () => usageNow(agent),
    (now) => now?.reserved === 0n,
  );
  return usage!.used;
}

/** Waits until exactly so much is used and nothing is reserved: what came back of an escrow counts less only then. */
export async function expectUsed(agent: AgentClient, expected: bigint): Promise<void> {
  await eventually(
    () => usageNow(agent),
    (now) => now?.reserved === 0n && now.used === expected,
  );
}

/** The agent's transfers in history, by id. */
export async function transfersOf(agent: AgentClient): Promise<readonly HistoryRecord[]> {
  return (await agent.transfers()).body.data.transactions;
}

/** What came into the agent's wallet from outside, as history has it. */
export async function depositsOf(agent: AgentClient): Promise<readonly HistoryRecord[]> {
  return (await agent.history('deposit')).body.data.transactions;
}
