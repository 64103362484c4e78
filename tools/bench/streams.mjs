// Benchmark: open streams of events, what they cost while nothing happens and while changes arrive.
import { closedLoop } from './measure/load.mjs';
import { Checks } from '../measuring/checks.mjs';
import { request } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSince, descendants, productProcess, serviceProcess } from './measure/cpu.mjs';
import { counted, median, percentile, sum } from './measure/pairs.mjs';
import { startWithAgents } from './world.mjs';

const STREAMS = 2_000;
const QUICK_STREAMS = 200;
/** As many as an agent may have. */
const STREAMS_OF_AGENT = 10;
const OPENED_AT_ONCE = 20;
const QUIET_MS = 20_000;
const SETTLE_MS = 2_000;
const ROUNDS = 5;
const WITHIN_MS = 30_000;
/** Each agent comes from a network of its own. */
const PROXY = { TRUSTED_PROXIES: '127.0.0.1' };
/** Processes that read the log for the streams. */
const FOLLOWING = ['gateway', 'history', 'postgres for gateway', 'postgres for history'];

export async function measure({ isQuick }) {
  const count = isQuick ? QUICK_STREAMS : STREAMS;
  const { deployment, agents } = await startWithAgents({ agents: count / STREAMS_OF_AGENT, environment: PROXY });
  const gateway = [...descendants().values()].find((process) => productProcess(process) === 'gateway').pid;
  await sleep(SETTLE_MS);
  const before = await idle();
  const memoryBefore = memoryOf(gateway);
  const streams = [];
  const open = async () => {
    const n = streams.push(undefined) - 1;
    const from = n % agents.length;
    streams[n] = await follow(deployment.url(), { ...agents[from], address: `10.${from >> 8}.${from & 255}.1` });
  };
  await closedLoop({ callers: OPENED_AT_ONCE, calls: count, call: open });
  await sleep(SETTLE_MS);
  const bytes = (memoryOf(gateway) - memoryBefore) / count;
  const after = await idle();
  const checks = new Checks();
  const delays = [];
  for (let round = 0; round < ROUNDS; round += 1) delays.push(...(await changeAll(agents, streams, round)));
  checks.equal('each stream got each change once, in order', streams.every(isWhole), true);
  for (const stream of streams) stream.close();
  const rows = [...after.keys()].map((name) => [name, share(before, name), share(after, name)]);
  const spentOf = (spent) => sum(FOLLOWING.map((name) => spent.get(name) ?? 0));
  const idleCpu = (spentOf(after) - spentOf(before)) / count / (QUIET_MS / 1_000);
  return {
    notes: `${count} streams of ${agents.length} agents at one gateway; ${ROUNDS} changes of each agent`,
    figures: [
      counted('memory of the gateway, each stream', Math.round(bytes / 1_024), { unit: 'KiB' }),
      counted(
        'CPU of gateway, history and their Postgres while nothing happens, each stream',
        Math.round(idleCpu * 10) / 10,
        { unit: 'µs a second' },
      ),
      counted('from the answer to the event, p50', Math.round(median(delays)), { unit: 'ms' }),
      counted('from the answer to the event, p99', Math.round(percentile(delays, 0.99)), { unit: 'ms' }),
    ],
    tables: [
      { title: 'CPU while nothing happens, % of a core', rows: [['', 'no stream', `${count} streams`], ...rows] },
    ],
    checks: checks.all,
  };
}

/** CPU of the services and of Postgres in a quiet time, in µs by name. */
async function idle() {
  const before = descendants();
  await sleep(QUIET_MS);
  return cpuSince(before, serviceProcess);
}

const share = (spent, name) => `${((spent.get(name) ?? 0) / QUIET_MS / 10).toFixed(1)} %`;

/** Resident memory of a process, in bytes. */
function memoryOf(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1_024;
}

/** Opens a stream. It keeps the number of each change, and the time of the latest. */
function follow(url, { token, address }) {
  return new Promise((resolve, reject) => {
    const stream = { numbers: [], latestAtMs: 0, close: () => outgoing.destroy() };
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
    const outgoing = request(`${url}/wallets/me/events`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`no stream: ${answer.statusCode}`));
      answer.setEncoding('utf8');
      answer.on('error', () => undefined);
      answer.on('data', (text) => {
        const numbers = [...text.matchAll(/^id: (\d+)\nevent: change$/gm)].map(([, id]) => Number(id));
        stream.numbers.push(...numbers);
        if (numbers.length > 0) stream.latestAtMs = performance.now();
        resolve(stream);
      });
    });
    outgoing.on('error', reject).end();
  });
}

/** Changes the policy of each agent; resolves with how long after the answer each stream had the change. */
async function changeAll(agents, streams, round) {
  const counts = new Map(streams.map((stream) => [stream, stream.numbers.length]));
  const answered = new Map();
  const changed = [...agents];
  const change = async () => {
    const agent = changed.pop();
    const { status } = await agent.patchPolicy({ maxSingleTransactionInUsd: 90 - round });
    if (status !== 200) throw new Error(`no change: ${status}`);
    answered.set(agent.token, performance.now());
  };
  await closedLoop({ callers: 4, calls: agents.length, call: change });
  const deadline = performance.now() + WITHIN_MS;
  while (streams.some((stream) => stream.numbers.length === counts.get(stream))) {
    if (performance.now() > deadline) throw new Error('a change did not arrive');
    await sleep(50);
  }
  return streams.map((stream, n) => Math.max(stream.latestAtMs - answered.get(agents[n % agents.length].token), 0));
}

function isWhole({ numbers }) {
  return numbers.length >= ROUNDS && numbers.every((number, n) => n === 0 || number === numbers[n - 1] + 1);
}
