// Rounds of trades: how long each took, and what it cost whom.
import { setTimeout as sleep } from 'node:timers/promises';
import { openLoop } from '../measure/load.mjs';
import { cpuSince, descendants, ownCpuUs } from '../measure/process-cpu.mjs';
import { sum } from '../measure/statistics.mjs';
import { productProcess } from '../process-names.mjs';

const SANDBOX = 'sandbox';
/** Looks cost Postgres something, too. */
const QUIET_POLL_MS = 500;

/** What each process spends while nobody asks for anything: `Map(name → µs of CPU a second)`. */
export async function idleCpu(durationMs) {
  const [before, startedAtMs] = [descendants(), performance.now()];
  await sleep(durationMs);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return new Map([...cpuSince(before, productProcess)].map(([name, us]) => [name, us / seconds]));
}

/**
 * The product's trades at a steady rate, until all of them are settled and recorded, which takes as long as a chain
 * needs to finalize: what is spent without them is taken away.
 * @returns `latencies` in ms, and µs of CPU a trade: `cpuUs` without the sandbox, `sandboxUs`, `byProcess`
 */
export async function productRound({ traffic, ledgers, idle }, { ratePerSecond, roundMs }) {
  const [before, startedAtMs] = [descendants(), performance.now()];
  const call = () => traffic.send();
  const latencies = await traffic.connected(() => openLoop({ ratePerSecond, durationMs: roundMs, call }));
  await ledgers.quiet({ pollMs: QUIET_POLL_MS });
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const spent = [...cpuSince(before, productProcess)].map(([name, us]) => [name, us - seconds * (idle.get(name) ?? 0)]);
  return { latencies, ...costs(spent, latencies.length) };
}

/** The same of the bare client, which runs in this process. */
export async function bareRound(bare, { ratePerSecond, roundMs }) {
  const [before, ownBefore] = [descendants(), ownCpuUs()];
  const latencies = await openLoop({ ratePerSecond, durationMs: roundMs, call: () => bare.send() });
  const sandboxUs = cpuSince(before, productProcess).get(SANDBOX) ?? 0;
  return {
    latencies,
    ...costs(
      [
        ['the client', ownCpuUs() - ownBefore],
        [SANDBOX, sandboxUs],
      ],
      latencies.length,
    ),
  };
}

function costs(spent, count) {
  const { [SANDBOX]: sandboxUs = 0, ...byProcess } = Object.fromEntries(spent.map(([name, us]) => [name, us / count]));
  return { cpuUs: sum(Object.values(byProcess)), sandboxUs, byProcess };
}
