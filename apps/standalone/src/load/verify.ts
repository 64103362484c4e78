import { OPERATION_ACTIONS, type OperationActionName } from '@agent-wallet/events';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentClient } from '../client/agent-client.js';
import type { ClientResponse, HistoryRecord } from '../client/responses.js';
import type { SandboxClient } from '../client/sandbox-client.js';
import { amountOf, micros, type Token } from './amounts.js';
import { type DoneTransfer, sum } from './ledger.js';
import type { LoadAgent } from './load-agent.js';

const POLL_EVERY_MS = 2_000;
const TIMEOUT_MS = 180_000;
const PAGE = 100;
/** Actions of which no response is the beginning. */
const UNASKED: readonly string[] = ['deposit', 'prediction_settlement'] satisfies OperationActionName[];
const ACTIONS = Object.keys(OPERATION_ACTIONS).filter((action) => !UNASKED.includes(action));
const OPEN = ['pending', 'submitted'];

/** One thing that must be so. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The contrary finding, or the number of items checked. */
  readonly found: string;
}

/** Fees that a wallet paid to the network, by its balance. */
interface PaidFees {
  readonly address: string;
  readonly lamports: string;
}

/** Compares the responses of agents with history, limits and the chain, once all of it is quiet. */
export async function verify(
  agents: readonly LoadAgent[],
  sandbox: SandboxClient,
): Promise<{ checks: Check[]; fees: PaidFees[] }> {
  const surprises = agents.flatMap(({ ledger }) => ledger.surprises);
  const transfers = agents.flatMap(({ ledger }) => ledger.transfers);
  const checks = [
    none('unexplained responses', surprises),
    await usage(agents),
    ...(await histories(agents, transfers)),
    await chain(agents, sandbox),
    await positions(agents, sandbox),
  ];
  const { check, fees } = await balances(agents, transfers, sandbox);
  return { checks: [...checks, check], fees };
}

function none(name: string, wrong: readonly string[], looked = 0): Check {
  if (wrong.length === 0) return { name, ok: true, found: looked > 0 ? `none of ${looked}` : 'none' };
  return { name, ok: false, found: `${wrong.length}: ${wrong.slice(0, 3).join(' | ')}` };
}

/** Checks that limits counted exactly what was done, and that nothing is still reserved. */
async function usage(agents: readonly LoadAgent[]): Promise<Check> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const wrong = (await Promise.all(agents.map(usageOf))).filter((text) => text !== undefined);
    if (wrong.length === 0 || performance.now() > untilMs) {
      return none('limits with open or wrong amounts', wrong, agents.length);
    }
    await pause(POLL_EVERY_MS);
  }
}

async function usageOf({ agent, ledger }: LoadAgent): Promise<string | undefined> {
  const { reservedUsd, usedUsd } = await read(() => agent.usage());
  const isRight = micros(reservedUsd) === 0n && micros(usedUsd) === ledger.countedMicros;
  return isRight
    ? undefined
    : `${agent.address}: ${usedUsd} used and ${reservedUsd} reserved, not ${ledger.countedMicros}`;
}

/** Checks that every operation ended as in its response, and that each transfer arrived once, as it was sent. */
async function histories(agents: readonly LoadAgent[], transfers: readonly DoneTransfer[]): Promise<Check[]> {
  const open: string[] = [];
  const unlike: string[] = [];
  const arrived = new Map<string | null, string[]>();
  for (const { agent, ledger } of agents) {
    const own = (await Promise.all(ACTIONS.map((action) => recordsOf(agent, action)))).flat();
    open.push(...own.filter(({ status }) => OPEN.includes(status)).map(({ id }) => id));
    const statuses = new Map(own.map(({ id, status }) => [id, status]));
    for (const [id, end] of ledger.ended) {
      if ((statuses.get(id) === 'confirmed') !== (end === 'confirmed')) unlike.push(`${id} is ${statuses.get(id)}`);
    }
    unlike.push(...own.filter(({ id }) => !ledger.ended.has(id)).map(({ id }) => `no response named ${id}`));
    for (const record of await recordsOf(agent, 'deposit')) {
      const found = `${agent.address} ${record.asset} ${record.amount}`;
      arrived.set(record.signature, [...(arrived.get(record.signature) ?? []), found]);
    }
  }
  const lost = transfers.filter(({ to, token, raw, signature }) => {
    const found = arrived.get(signature) ?? [];
    return found.length !== 1 || !isThat(found[0] as string, to, token, raw);
  });
  const ended = agents.reduce((total, { ledger }) => total + ledger.ended.size, 0);
  return [
    none('operations that are still open', open, ended),
    none('operations that history contradicts', unlike, ended),
    none(
      'transfers that did not arrive exactly once',
      lost.map(({ id, signature }) => `${id}: ${(arrived.get(signature) ?? ['nothing']).join()}`),
      transfers.length,
    ),
  ];
}

function isThat(found: string, to: string, token: Token, raw: bigint): boolean {
  const [address, , amount] = found.split(' ');
  return address === to && Number(amount) === amountOf(token, raw);
}

async function recordsOf(agent: AgentClient, action: string): Promise<HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  for (;;) {
    const { transactions, pagination } = await read(() => agent.history(action, records.length));
    records.push(...transactions);
    if (transactions.length < PAGE || records.length >= pagination.total) return records;
  }
}

/** Checks that every landed transaction was in a response, and that every response with a signature has landed. */
async function chain(agents: readonly LoadAgent[], sandbox: SandboxClient): Promise<Check> {
  const reported = new Set(agents.flatMap(({ ledger }) => [...ledger.signatures]));
  const landed = new Set<string>();
  for (const { agent } of agents) {
    for (const { signature, err } of await sandbox.transactions(agent.address)) if (err === null) landed.add(signature);
  }
  const wrong = [
    ...[...landed]
      .filter((signature) => !reported.has(signature))
      .map((signature) => `${signature} was in no response`),
    ...[...reported].filter((signature) => !landed.has(signature)).map((signature) => `${signature} has not landed`),
  ];
  return none('transactions on chain without an operation', wrong, landed.size);
}

/** Checks that wallets hold the liquidity tokens of their responses, and that positions say the same. */
async function positions(agents: readonly LoadAgent[], sandbox: SandboxClient): Promise<Check> {
  const wrong: string[] = [];
  for (const { agent, ledger } of agents) {
    const { lpMint, liquidity } = ledger;
    const shown = (await read(() => agent.positions())).positions.map(({ liquidityRaw }) => BigInt(liquidityRaw));
    const held = lpMint === undefined ? 0n : await sandbox.balanceRaw(agent.address, lpMint);
    const isRight = held === liquidity && sumOf(shown) === liquidity;
    if (!isRight) wrong.push(`${agent.address} holds ${held} and shows ${shown.join()} instead of ${liquidity}`);
  }
  return none('wallets with wrong liquidity, to the base unit', wrong, agents.length);
}

const sumOf = (numbers: readonly bigint[]): bigint => numbers.reduce((total, each) => total + each, 0n);

/** Checks balances to the base unit. Missing SOL was paid to the network, as others have recorded. */
async function balances(
  agents: readonly LoadAgent[],
  transfers: readonly DoneTransfer[],
  sandbox: SandboxClient,
): Promise<{ check: Check; fees: PaidFees[] }> {
  const wrong: string[] = [];
  const fees: PaidFees[] = [];
  for (const { agent, ledger } of agents) {
    const due = (token: Token) =>
      ledger.changed[token] -
      ledger.sent(token) +
      sum(transfers.filter((each) => each.to === agent.address && each.token === token));
    const usdc = await sandbox.balanceRaw(agent.address, 'USDC');
    if (usdc !== due('USDC')) wrong.push(`${agent.address} has ${usdc} instead of ${due('USDC')}`);
    const sol = await sandbox.balanceRaw(agent.address, 'SOL');
    fees.push({ address: agent.address, lamports: (due('SOL') - sol).toString() });
  }
  return { check: none('wallets with a wrong USDC balance, to the base unit', wrong, agents.length), fees };
}

async function read<Data>(request: () => Promise<ClientResponse<Data>>): Promise<Data> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await request().catch(() => undefined);
    if (answer?.status === 200) return answer.body.data;
    if (performance.now() > untilMs) throw new Error(`no answer but ${answer?.status} ${JSON.stringify(answer?.body)}`);
    await pause(POLL_EVERY_MS);
  }
}
