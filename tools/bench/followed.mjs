// Benchmark: as many agents as a gateway may follow, through the death and the stop of a gateway.
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../measuring/checks.mjs';
import { audit } from './following/audit.mjs';
import { openGround } from './following/ground.mjs';
import { cpuSince, descendants, serviceProcess } from './measure/cpu.mjs';
import { openLoop } from './measure/load.mjs';
import { counted, median, percentile, sum } from './measure/pairs.mjs';

/**
 * Each gateway must have room for all streams when the other one is gone. An owner's own chain takes a place, as each
 * agent does, and nine places stay free for each that the owner has: 11 × (1,809 + 9) ≤ 20,000 places.
 */
const OWNERS = 1_809;
const QUICK_OWNERS = 100;
const AGENTS_OF_OWNER = 10;
const AIM = { atMost: 15 };
const CHANGES_PER_SECOND = 300;
const BATCHES_PER_SECOND = 10;
const WRITTEN_MS = 15_000;
const QUIET_MS = 10_000;
const BEFORE_SIGNAL_MS = 3_000;
const WITHIN_MS = 60_000;
const POLL_MS = 20;

export async function measure({ isQuick }) {
  const owners = isQuick ? QUICK_OWNERS : OWNERS;
  const ground = await openGround({ owners, agentsOfOwner: AGENTS_OF_OWNER });
  const checks = new Checks();
  const [bytesOfStream, delays] = [await openStreams(ground), await writeAndRead(ground)];
  const killed = await loseGateway(ground, { from: 1, to: 0, end: () => ground.deployment.kill('gateway-1') });
  const quiet = await traffic(ground, () => sleep(QUIET_MS));
  const delaysOfOne = [];
  const busy = await traffic(ground, async () => delaysOfOne.push(...(await writeAndRead(ground))));
  await ground.startGateway(1);
  const stopped = await loseGateway(ground, { from: 0, to: 1, end: () => ground.deployment.terminate('gateway-0') });
  await audit(ground, checks);
  ground.followers.forEach((follower) => follower.close());
  const agents = owners * AGENTS_OF_OWNER;
  return {
    notes:
      `${agents} agents of ${owners} owners, a stream each, over two gateways; ${CHANGES_PER_SECOND} changes a second; ` +
      `one gateway then follows ${agents + owners} of 20 000 places, as each owner's own chain takes one, and nine must ` +
      `stay free for each of the last owner`,
    figures: [
      ...figuresOfDelay('over two gateways', delays),
      ...figuresOfDelay('at one gateway', delaysOfOne),
      counted('memory of a gateway, each stream', Math.round(bytesOfStream / 1_024), { unit: 'KiB' }),
      ...figuresOfTraffic('nothing happens', quiet),
      ...figuresOfTraffic('changes arrive', busy),
      ...figuresOfLoss('a gateway was killed', killed),
      ...figuresOfLoss('a gateway stopped, with its drain of 5 s', stopped),
    ],
    tables: [cpuTable(quiet, busy)],
    checks: checks.all,
  };
}

/** Opens all streams, and returns the bytes of memory that each of a gateway took. */
async function openStreams(ground) {
  await sleep(QUIET_MS / 2);
  const before = ground.memoryOf(0);
  await ground.openStreams();
  await sleep(QUIET_MS / 2);
  return (ground.memoryOf(0) - before) / Math.ceil(ground.followers.length / 2);
}

/** Writes changes at a steady rate, until streams have them all. @returns how long each took, in ms */
async function writeAndRead(ground, durationMs = WRITTEN_MS) {
  ground.delays = [];
  const call = () => ground.write(CHANGES_PER_SECOND / BATCHES_PER_SECOND);
  await openLoop({ ratePerSecond: BATCHES_PER_SECOND, durationMs, call });
  await until(() => ground.unread === 0);
  return ground.delays;
}

/** Ends a gateway while changes are written, and waits until its streams are back at the other one. */
async function loseGateway(ground, { from, to, end }) {
  const failures = ground.failures;
  const writing = writeAndRead(ground, 2 * WRITTEN_MS);
  await sleep(BEFORE_SIGNAL_MS);
  const lost = ground.followers.filter(({ gateway }) => gateway === from);
  ground.gateways = [to];
  const [endedAtMs, before] = [performance.now(), descendants()];
  const ending = end();
  const isBack = (follower) => follower.isLive && follower.gateway === to;
  await until(() => lost.every(isBack));
  const cpuUs = sum([...cpuSince(before, serviceProcess).values()]);
  await Promise.all([ending, writing]);
  return {
    streams: lost.length,
    seconds: (Math.max(...lost.map(({ liveAtMs }) => liveAtMs)) - endedAtMs) / 1_000,
    away: lost.map(({ cutAtMs, liveAtMs }) => (liveAtMs - cutAtMs) / 1_000),
    failures: ground.failures - failures,
    cpuMs: cpuUs / lost.length / 1_000,
  };
}

/** Bytes of a round of following, and CPU, while something happens at the first gateway alone. */
async function traffic(ground, work) {
  const [before, cpuBefore, startedAtMs] = [ground.proxies[0].counts(), descendants(), performance.now()];
  await work();
  const [after, cpu] = [ground.proxies[0].counts(), cpuSince(cpuBefore, serviceProcess)];
  const rounds = after.rounds - before.rounds;
  const ofRound = (name) => (after[name] - before[name]) / rounds / 1_024;
  return { sent: ofRound('sent'), received: ofRound('received'), cpu, ms: performance.now() - startedAtMs };
}

/** Waits; what has not come within a minute is for the checks to say. */
async function until(isSo) {
  const deadlineMs = performance.now() + WITHIN_MS;
  while (!isSo() && performance.now() < deadlineMs) await sleep(POLL_MS);
}

function figuresOfDelay(where, delays) {
  const ofShare = (share) => Math.round(percentile(delays, share));
  return [
    counted(`from the write to the event ${where}, p50`, ofShare(0.5), { unit: 'ms' }),
    counted(`from the write to the event ${where}, p99`, ofShare(0.99), { unit: 'ms' }),
  ];
}

function figuresOfTraffic(when, { sent, received }) {
  return [
    counted(`a round of following to history while ${when}, with TLS`, sent.toFixed(1), { unit: 'KiB' }),
    counted(`and back`, received.toFixed(1), { unit: 'KiB' }),
  ];
}

function figuresOfLoss(how, { streams, seconds, away, failures, cpuMs }) {
  const all = counted(`${how}: until all ${streams} streams were back`, seconds.toFixed(1), { unit: 's' });
  return [
    { ...all, aim: AIM, met: seconds <= AIM.atMost },
    counted('a stream was away, median', median(away).toFixed(1), { unit: 's' }),
    counted('and at most', Math.max(...away).toFixed(1), { unit: 's' }),
    counted('attempts that failed', failures, { unit: '' }),
    counted('CPU of services and Postgres meanwhile, each stream', cpuMs.toFixed(1), { unit: 'ms' }),
  ];
}

function cpuTable(quiet, busy) {
  const share = ({ cpu, ms }, name) => `${((cpu.get(name) ?? 0) / ms / 10).toFixed(1)} %`;
  const rows = [...busy.cpu.keys()].map((name) => [name, share(quiet, name), share(busy, name)]);
  const title = 'CPU with all streams at one gateway, % of a core';
  return { title, rows: [['', 'nothing happens', `${CHANGES_PER_SECOND} changes a second`], ...rows] };
}
