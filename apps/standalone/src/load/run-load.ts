import { access, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AgentClient } from '../client/agent-client.js';
import { callJson } from '../client/http-json.js';
import { SandboxClient } from '../client/sandbox-client.js';
import { Amounts } from './amounts.js';
import { Caller } from './caller.js';
import { LoadAgent } from './load-agent.js';
import { Random } from './random.js';
import { verify } from './verify.js';

const START = { SOL: 5, USDC: 200 };
const START_RAW = { SOL: 5_000_000_000n, USDC: 200_000_000n };
const LIMITS = { dailyLimitInUsd: 1_000_000, maxSingleTransactionInUsd: 1_000 };
const DEPTH = 1_000_000;
const REPORT_EVERY_MS = 5_000;
const POLL_EVERY_MS = 500;

/** Options of a load. */
interface LoadOptions {
  /** The gateway's public API. */
  readonly api: string;
  /** The sandbox's admin API. */
  readonly admin: string;
  readonly agents: number;
  readonly seed: number;
  /** Between two requests of an agent. */
  readonly pauseMs: number;
  /** Seconds until it ends by itself. */
  readonly seconds: number;
  /** A file that ends it earlier, once it is there. */
  readonly stopFile: string | undefined;
  /** File for tokens and OTPs, so that others can search for them where they must not be. */
  readonly secretsFile: string | undefined;
  /** Prints one line of JSON. */
  readonly report: (kind: string, fields: object) => void;
}

/** Loads the API until stopped, then verifies everything. @returns whether all of it was as it must be */
export async function runLoad(options: LoadOptions): Promise<boolean> {
  const { report, seconds, stopFile } = options;
  const sandbox = new SandboxClient(options.admin);
  const caller = new Caller((loss) => report('lost', loss));
  const agents = await prepare(options, sandbox, caller);
  report('ready', { agents: agents.length });
  const endsAtMs = performance.now() + seconds * 1_000;
  let isStopped = false;
  const isOver = () => isStopped || performance.now() > endsAtMs;
  const acting = Promise.all(agents.map((agent) => agent.live(isOver)));
  await Promise.all([acting, progress(), watchStopFile()]);
  report('acted', summary());
  const { checks, fees } = await verify(agents, sandbox);
  report('result', { ...summary(), checks, fees });
  return checks.every(({ ok }) => ok);

  function summary() {
    const total = (key: keyof LoadAgent['ledger']['asked']) =>
      agents.reduce((sum, { ledger }) => sum + ledger.asked[key], 0);
    const confirmed = agents.reduce(
      (sum, { ledger }) => sum + [...ledger.ended.values()].filter((end) => end === 'confirmed').length,
      0,
    );
    const [transfers, trades, orders] = [total('transfers'), total('trades'), total('orders')];
    const asked = { transfers, trades, orders, liquidity: total('liquidity'), reads: total('reads') };
    return { ...caller.counts, ...asked, refused: total('refused'), undone: total('undone'), confirmed };
  }
  async function progress() {
    for (let reportedAtMs = performance.now(); !isOver(); await pause(POLL_EVERY_MS)) {
      if (performance.now() - reportedAtMs < REPORT_EVERY_MS) continue;
      reportedAtMs = performance.now();
      report('progress', summary());
    }
  }
  async function watchStopFile() {
    while (!isOver()) {
      isStopped = stopFile !== undefined && (await exists(stopFile));
      await pause(POLL_EVERY_MS);
    }
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Stills the prices, opens a market, and lets agents log in, with money and limits that do not hinder them. */
async function prepare(options: LoadOptions, sandbox: SandboxClient, caller: Caller): Promise<LoadAgent[]> {
  const { agents: count, seed, api, report, pauseMs } = options;
  const solUsd = await stillPrices(options.admin, sandbox);
  const ticker = `LOAD-${seed}`;
  await sandbox.addMarket({ ticker, title: `${ticker}?`, yesBid: 47, yesAsk: 51, size: DEPTH });
  const clients: AgentClient[] = [];
  const given: string[][] = [];
  const otps: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const agent = await AgentClient.logIn(api, sandbox, `load-${seed}-${i}@agents.example`);
    otps.push(await sandbox.otp(agent.email));
    given.push([
      await sandbox.faucet(agent.address, 'SOL', START.SOL),
      await sandbox.faucet(agent.address, 'USDC', START.USDC),
    ]);
    const { status, body } = await agent.patchPolicy(LIMITS);
    if (status !== 200) throw new Error(`the limits were not changed: ${JSON.stringify(body)}`);
    clients.push(agent);
    report('agent', { address: agent.address });
  }
  if (options.secretsFile !== undefined) {
    const secrets = { tokens: clients.map(({ token }) => token), otps };
    await writeFile(options.secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  }
  const pool = await poolOf(clients[0]);
  const amounts = new Amounts();
  return clients.map((agent, i) => {
    const others = clients.map(({ address }) => address).filter((address) => address !== agent.address);
    const random = new Random(seed + 1 + i);
    const made = new LoadAgent({ agent, caller, amounts, random, others, solUsd, ticker, pool, pauseMs });
    for (const token of ['SOL', 'USDC'] as const) made.ledger.changed[token] = START_RAW[token];
    for (const signature of given[i] as string[]) made.ledger.signatures.add(signature);
    return made;
  });
}

/** Returns the largest pool of SOL and USDC; empty without agents. */
async function poolOf(agent: AgentClient | undefined): Promise<string> {
  if (!agent) return '';
  const { status, body } = await agent.pools('?mint=SOL&mint2=USDC&limit=1');
  const [found] = status === 200 ? body.data.pools : [];
  if (!found) throw new Error(`no pool of SOL and USDC was found: ${JSON.stringify(body)}`);
  return found.pool;
}

interface Prices {
  readonly prices: ReadonlyArray<{ readonly token: string; readonly usd: number | null }>;
}

/** Prices that do not move make limits count what can be known beforehand. @returns dollars of a SOL */
async function stillPrices(admin: string, sandbox: SandboxClient): Promise<number> {
  await sandbox.setPrice({ freeze: true });
  const { prices } = (await callJson<Prices>(`${admin}/prices`)).body;
  const solUsd = Math.round(prices.find(({ token }) => token === 'SOL')?.usd ?? 0);
  if (solUsd < 1) throw new Error('SOL has no price');
  await sandbox.setPrice({ token: 'SOL', usd: solUsd });
  await sandbox.setPrice({ token: 'USDC', usd: 1 });
  return solUsd;
}
