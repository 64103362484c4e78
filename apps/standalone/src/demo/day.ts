import { systemClock } from '@agent-wallet/kernel';
import { AgentClient } from '../client/agent-client.js';
import type { ClientResponse, HistoryPage } from '../client/responses.js';
import type { SandboxClient } from '../client/sandbox-client.js';
import { setTimeout as pause } from 'node:timers/promises';

const HISTORY_WITHIN_MS = 30_000;
const PAID_WITHIN_MS = 60_000;
const FINAL_WITHIN_MS = 90_000;
/** Within the agent's rate limit. */
const POLL_EVERY_MS = 2_000;

/** Deployment that the day is played on, and its output. */
interface Stage {
  readonly baseUrl: string;
  readonly sandbox: SandboxClient;
  readonly say: (line: string) => void;
}

/** Plays one agent's day through the public API. @throws Error at the first thing that is off */
export async function playDay(stage: Stage): Promise<void> {
  const { say, sandbox } = stage;
  const [alice, bob] = await Promise.all([logIn(stage, 'alice'), logIn(stage, 'bob')]);
  say(`alice logged in by otp; her wallet is ${alice.address}`);
  await fund(stage, alice);
  await showBalances(stage, alice);
  await sendSol(stage, alice, bob.address);
  await sendUsdcTwice(stage, alice, bob.address);
  await trade(stage, alice);
  await provideLiquidity(stage, alice);
  await bet(stage, alice);
  await meetLimit(stage, alice, bob.address);
  await showHistory(stage, alice);
  expect(await sandbox.balanceRaw(bob.address, 'USDC'), 64_100_000n, "bob's USDC on chain");
  await leave(stage, alice);
}

async function logIn(stage: Stage, name: string): Promise<AgentClient> {
  return AgentClient.logIn(stage.baseUrl, stage.sandbox, `${name}-${systemClock.nowMs()}@agents.example`);
}

async function fund({ sandbox, say }: Stage, agent: AgentClient): Promise<void> {
  const sol = await sandbox.faucet(agent.address, 'SOL', 2);
  const usdc = await sandbox.faucet(agent.address, 'USDC', 250);
  say(`2 SOL (${sol}) and 250 USDC (${usdc}) arrived from the faucet`);
}

async function showBalances({ say }: Stage, agent: AgentClient): Promise<void> {
  const { sol, tokens, totalUsdValue } = ok(await agent.balances());
  expect(sol.balance, 2, 'the SOL balance');
  expect(tokens[0]?.balance, 250, 'the USDC balance');
  say(`she holds ${sol.balance} SOL and ${tokens[0]?.balance} USDC, together $${totalUsdValue}`);
}

async function sendSol({ say }: Stage, agent: AgentClient, to: string): Promise<void> {
  const sent = await done(() => agent.transfer({ to, amount: 0.1, memo: 'lunch' }, 'lunch-1'));
  expect(sent.status, 'confirmed', 'the SOL transfer');
  say(`she sent ${sent.amount} for lunch: ${sent.signature}`);
}

async function sendUsdcTwice({ say }: Stage, agent: AgentClient, to: string): Promise<void> {
  const order = { to, amount: 64.1, mint: 'USDC' };
  const first = await done(() => agent.transfer(order, 'invoice-17'));
  const again = ok(await agent.transfer(order, 'invoice-17'));
  expect(again.cached, true, 'the repeated request');
  expect(again.originalResponse?.signature, first.signature, 'the signature of the repeated request');
  say(`she paid ${first.amount}: ${first.signature}; the same request again moved nothing`);
}

async function trade({ say }: Stage, agent: AgentClient): Promise<void> {
  const order = { from: 'USDC', to: 'SOL', amount: 25, slippageBps: 100 };
  const traded = await done(() => agent.trade(order, 'trade-1'));
  expect(traded.status, 'confirmed', 'the trade');
  const { inputAmount, outputAmount, route, signature } = traded;
  say(`she traded ${inputAmount} for ${outputAmount} over ${route.join(', ')}: ${signature}`);
}

async function provideLiquidity({ say }: Stage, agent: AgentClient): Promise<void> {
  const { pools } = ok(await agent.pools('?mint=SOL&mint2=USDC&limit=1'));
  const { pool } = pools[0]!;
  const added = await done(() => agent.addLiquidity({ pool, token: 'USDC', amount: 10 }, 'liquidity-1'));
  expect(added.status, 'confirmed', 'the addition');
  const [position] = ok(await agent.positions()).positions;
  say(`she put ${added.spent.map(({ amount }) => amount).join(' and ')} into a pool: ${added.signature}`);
  const { positionId, usdValue } = position!;
  const removed = await done(() => agent.removeLiquidity({ positionId, percent: 100 }, 'liquidity-2'));
  const received = removed.received.map(({ amount }) => amount).join(' and ');
  say(`her position was worth $${usdValue}; she took ${received} out again: ${removed.signature}`);
}

async function bet({ say, sandbox }: Stage, agent: AgentClient): Promise<void> {
  const { predictions } = agent;
  const { markets } = ok(await predictions.markets('?status=open&tradeable_only=true'));
  const { ticker, title } = markets[0]!;
  const bought = await done(() => predictions.buy({ ticker, side: 'yes', count: 5 }, 'bet-1'));
  expect(bought.status, 'filled', 'the order');
  say(`she bought ${bought.count} yes of "${title}" at ${bought.pricePerContract} cents: ${bought.signature}`);
  const sold = await done(() => predictions.sell({ ticker, side: 'yes', count: 2 }, 'bet-2'));
  say(`she sold ${sold.count} of them at ${sold.pricePerContract} cents: ${sold.signature}`);
  await sandbox.settle(ticker, 'yes');
  const untilMs = performance.now() + PAID_WITHIN_MS;
  while (ok(await predictions.balance()).balanceCents === 0) {
    if (performance.now() > untilMs) throw new Error('the settled market was not paid');
    await pause(POLL_EVERY_MS);
  }
  const paid = await done(() => predictions.withdraw(3, 'withdrawal-1'));
  expect(paid.newBalanceDollars, 0, 'the prediction balance');
  say(`the market said yes, and ${paid.amountDollars} dollars came to her wallet: ${paid.signature}`);
}

async function meetLimit({ say }: Stage, agent: AgentClient, to: string): Promise<void> {
  const refused = await agent.transfer({ to, amount: 101, mint: 'USDC' });
  expect(refused.status, 403, 'a transfer above the single limit');
  expect(refused.body.data.rule, 'single_transaction_limit', 'the rule');
  say(`101 USDC at once was refused: ${refused.body.data.suggestion}`);
}

async function showHistory({ say }: Stage, agent: AgentClient): Promise<void> {
  const { transactions } = await settledHistory(agent, performance.now() + HISTORY_WITHIN_MS);
  for (const { action, amount, asset, status } of [...transactions].reverse()) {
    say(`history: ${action} ${amount} ${asset} ${status}`);
  }
}

/** Polls until history is right, because it follows the responses within moments. */
async function settledHistory(agent: AgentClient, untilMs: number): Promise<HistoryPage> {
  for (;;) {
    const page = ok(await agent.transfers());
    const isSettled = page.transactions.every(({ status }) => !['pending', 'submitted'].includes(status));
    if (page.pagination.total === 3 && isSettled) return page;
    if (performance.now() > untilMs) throw new Error(`history is not right: ${JSON.stringify(page)}`);
    await pause(50);
  }
}

async function leave({ say }: Stage, agent: AgentClient): Promise<void> {
  ok(await agent.logOut());
  expect((await agent.balances()).status, 401, 'the token after logout');
  say('she logged out, and her token is worth nothing now');
}

/** Asks with the same key until the outcome is known, as every client should. */
async function done<Data extends { readonly originalResponse?: Data | undefined }>(
  ask: () => Promise<ClientResponse<Data>>,
): Promise<Data> {
  const untilMs = performance.now() + FINAL_WITHIN_MS;
  for (;;) {
    const answer = await ask();
    if (![202, 409].includes(answer.status) || performance.now() > untilMs) {
      const data = ok(answer);
      return data.originalResponse ?? data;
    }
    await pause(POLL_EVERY_MS);
  }
}

function ok<Data>(answer: ClientResponse<Data>): Data {
  if (answer.status !== 200) throw new Error(`unexpected answer ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

function expect(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, found ${String(actual)}`);
}
