import { eventually } from '@agent-wallet/testing';
import { type AgentClient, callJson, type Envelope, type HistoryRecord } from '../../src/index.js';

/** Exact micro-dollars of a JSON number with at most 6 decimals. */
export function micros(usd: number): bigint {
  return BigInt(Math.round(usd * 1_000_000));
}

/** What policy says is settled and reserved now. */
export async function usageOf(agent: AgentClient): Promise<{ used: bigint; reserved: bigint }> {
  const { data } = (await agent.usage()).body;
  return { used: micros(data.settledUsd), reserved: micros(data.reservedUsd) };
}

/** Waits until no reservation is open, and answers what is used then. */
export async function usedWhenQuiet(agent: AgentClient): Promise<bigint> {
  return (
    await eventually(
      () => usageOf(agent),
      (usage) => usage.reserved === 0n,
    )
  ).used;
}

/** Waits until exactly so much is used and nothing is reserved: what came back of an escrow counts less only then. */
export async function expectUsed(agent: AgentClient, expected: bigint): Promise<void> {
  await eventually(
    () => usageOf(agent),
    ({ used, reserved }) => reserved === 0n && used === expected,
  );
}

/** The agent's transfers in history, by id. */
export async function transfersOf(agent: AgentClient): Promise<readonly HistoryRecord[]> {
  return (await agent.transfers()).body.data.transactions;
}

/** What came into the agent's wallet from outside, as history has it. */
export async function depositsOf({ baseUrl, token }: AgentClient): Promise<readonly HistoryRecord[]> {
  const url = `${baseUrl}/wallets/me/history?action=deposit&limit=100`;
  const { body } = await callJson<Envelope<{ transactions: readonly HistoryRecord[] }>>(url, {
    headers: { authorization: `Bearer ${token}` },
  });
  return body.data.transactions;
}
