import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, ClientResponse } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

const MAINNET_RATE = 3_480;
/** Services read the rent again within a minute. */
const REFRESHED_MS = 65_000;
/** Time for which requests are watched after that. */
const WATCHED_MS = 20_000;

let deployment: Deployment;

beforeAll(async () => {
  deployment = await deploy({
    slotMs: 50,
    environment: {
      SPONSOR_MAX_LAMPORTS_PER_TRANSACTION: '50000000',
      SPONSOR_MAX_LAMPORTS_PER_AGENT_DAY: '100000000000',
      SPONSOR_MAX_LAMPORTS_PER_DAY: '100000000000',
      SPONSORED_NEW_ACCOUNTS_PER_AGENT_DAY: '10000',
    },
  });
});
afterAll(() => deployment?.stop());

function agents(funds: Record<string, number>): Promise<AgentClient[]> {
  return Promise.all([1, 2, 3].map(() => deployment.agent(funds)));
}

/** In alphabetical order. */
const REQUESTS = ['SOL', 'USDC', 'sponsored', 'trade'];

interface Answered {
  readonly request: string;
  readonly atMs: number;
  readonly answer: ClientResponse<{ readonly code?: string; readonly status?: string }>;
}

/** Sends transfers and trades until the time is over. @param emptyAccount what the chain requires of a new wallet */
async function load(emptyAccount: bigint, durationMs: number): Promise<Answered[]> {
  const payers = await agents({ SOL: 3, USDC: 400 });
  const startedMs = performance.now();
  const answers: Answered[] = [];
  const ask = async (request: string, send: () => Promise<Answered['answer']>) => {
    const atMs = performance.now() - startedMs;
    answers.push({ request, atMs, answer: await send() });
  };
  const repeat = async (turn: () => Promise<void>) => {
    while (performance.now() - startedMs < durationMs) await turn();
  };
  const payForItself = async (agent: AgentClient) => {
    await ask('SOL', () => agent.transfer({ to: newRecipient(), amount: Number(emptyAccount) / 1e9 }));
    await ask('USDC', () => agent.transfer({ to: newRecipient(), amount: 0.1, mint: 'USDC' }));
  };
  // A wallet without SOL, once each: the trade brings it some.
  const beSponsored = async () => {
    const agent = await deployment.agent({ USDC: 20 });
    await ask('sponsored', () => agent.transfer({ to: newRecipient(), amount: 1, mint: 'USDC' }));
    await ask('trade', () => agent.trade({ from: 'USDC', to: 'SOL', amount: 5 }));
  };
  await Promise.all([
    ...payers.map((agent) => repeat(() => payForItself(agent))),
    ...[1, 2, 3].map(() => repeat(beSponsored)),
  ]);
  return answers;
}

function summary(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { request, answer } of answers) {
    const { code, status } = answer.body.data;
    const kind = `${request} ${answer.status} ${code ?? status}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe('rent that changes under load', () => {
  it.each([
    ['falls to a half', MAINNET_RATE / 2],
    ['rises to twice as much', MAINNET_RATE],
    ['rises beyond mainnet’s', MAINNET_RATE * 3],
    ['falls to a tenth', MAINNET_RATE / 10],
  ])('that %s: no 500 ever, and after a minute all that the chain takes is sent', async (_, rate) => {
    const answers = await load(await deployment.sandbox.setRent(rate), REFRESHED_MS + WATCHED_MS);
    const after = summary(answers.filter(({ atMs }) => atMs > REFRESHED_MS));
    expect(Object.keys(summary(answers)).filter((kind) => kind.includes(' 500 '))).toEqual([]);
    expect(Object.keys(after).toSorted()).toEqual(REQUESTS.map((request) => `${request} 200 confirmed`));
  });
});
