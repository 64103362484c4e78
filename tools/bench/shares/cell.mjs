// One cell: a victim that asks at its own pace, beside a number of attackers.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure/pairs.mjs';
import { NO_MAIL } from './actors.mjs';

/** A victim's pace where nothing shared asks for a slower one: under 30 requests a minute, the default of one agent. */
const VICTIM_EVERY_MS = 2_100;
/** As long as the victim asks in a cell, and how often at least, where its pace is slow. */
const LONGEST_CELL_MS = 120_000;
const LEAST_ASKS = 6;
const ATTACKER_EVERY_MS = 2_020;

/** Attackers begin earlier: what they can use up has been used up. */
const HEAD_START_MS = 5_000;

/** Asked before the first cell and not counted: first requests are slow. */
export const WARM_UP_ASKS = 4;

/** A refusal of what all users share. What counts by agent, by network or by mailbox is the user's own. */
const SHARED_BUDGETS = /"(sponsored_per_day|treasury_daily_limit)"/;
const WANTING = [429, 503, NO_MAIL];

/** Returns how often the victim asks, in ms: within its equal share of what it shares with so many attackers. */
export function paceOf({ shareMs = () => 0 }, attackers) {
  return Math.max(VICTIM_EVERY_MS, shareMs(attackers + 1));
}

/** Returns how many requests of the victim a cell has, of as many as are wanted. */
export function asksOf(scene, attackers, wanted) {
  return Math.min(wanted, Math.max(LEAST_ASKS, Math.floor(LONGEST_CELL_MS / paceOf(scene, attackers))));
}

/** Resolves to how many it has asked. */
export async function warmUp(scene, world) {
  await Promise.all(await victimAsks({ scene, world, first: 0, asks: WARM_UP_ASKS, everyMs: paceOf(scene, 0) }));
  return WARM_UP_ASKS;
}

/**
 * Asks as the victim so often, from the request with the number `first` on, while attackers ask, too.
 * @returns what became of the victim's requests (`starved`: for want of what is shared), p50 and p99 in ms of those
 *   that did not fail, and what became of the attackers'
 */
export async function runCell({ scene, world, attackers, first, asks }) {
  const attack = startAttack({ scene, world, attackers, targets: targetsOf(scene, world, { first, asks }) });
  if (attackers.length > 0) await sleep(HEAD_START_MS);
  const everyMs = paceOf(scene, attackers.length);
  const pending = await victimAsks({ scene, world, first, asks, everyMs });
  const [done, attacks] = await Promise.all([Promise.all(pending), attack.end()]);
  const latencies = done.filter(({ answer }) => isDone(answer)).map(({ ms }) => ms);
  const answers = done.map(({ answer }) => answer);
  return {
    requests: asks,
    starved: answers.filter(isStarved).length,
    failed: answers.filter((answer) => !isDone(answer) && !isStarved(answer)).length,
    undecided: answers.filter(({ status }) => status === 202).length,
    reasons: countedReasons(answers),
    p50: latencies.length > 0 ? percentile(latencies, 0.5) : NaN,
    p99: latencies.length > 0 ? percentile(latencies, 0.99) : NaN,
    attacks: attacks.length,
    attacksRefused: attacks.filter((answer) => !isDone(answer)).length,
    attackReasons: countedReasons(attacks),
  };
}

/** Asks at the victim's pace, whether it is answered or not; an address that asks for codes waits for each. */
async function victimAsks({ scene, world, first, asks, everyMs }) {
  const startedAtMs = performance.now();
  const pending = [];
  for (let n = 0; n < asks; n += 1) {
    await untilDue(startedAtMs + n * everyMs);
    if (Number.isFinite(scene.asksPerVictim)) await pending.at(-1);
    pending.push(timed(() => scene.ask(world, victimOf(scene, world, first + n), first + n)));
  }
  // The next cell keeps the pace, too.
  await untilDue(startedAtMs + asks * everyMs);
  return pending;
}

async function timed(ask) {
  const askedAtMs = performance.now();
  return { answer: await ask(), ms: performance.now() - askedAtMs };
}

const victimOf = ({ asksPerVictim }, { victims }, n) => victims[Math.floor(n / asksPerVictim)] ?? victims[0];

/** Lists the victim's users whose turn comes in this cell. */
function targetsOf(scene, world, { first, asks }) {
  return [...new Set(Array.from({ length: asks }, (_, n) => victimOf(scene, world, first + n)))];
}

/** Has attackers ask by turns, evenly, whether they are answered or not, until `end` resolves to all answers. */
function startAttack({ scene, world, attackers, targets }) {
  const startedAtMs = performance.now();
  const everyMs = Math.max(ATTACKER_EVERY_MS / attackers.length, 1_000 / (scene.mostAttacksPerSecond ?? Infinity));
  const pending = [];
  let isEnding = false;
  const attack = async () => {
    for (let n = 0; attackers.length > 0 && !isEnding; n += 1) {
      await untilDue(startedAtMs + n * everyMs);
      const [turn, place] = [Math.floor(n / attackers.length), n % attackers.length];
      pending.push(scene.attack(world, attackers[place], { turn, n, targets }));
    }
  };
  const attacking = attack();
  const end = async () => {
    isEnding = true;
    await attacking;
    return Promise.all(pending);
  };
  return { end };
}

async function untilDue(dueMs) {
  const waitMs = dueMs - performance.now();
  if (waitMs > 0) await sleep(waitMs);
}

const isDone = ({ status }) => status === 200 || status === 202;
const isStarved = ({ status, text }) => !isDone({ status }) && (WANTING.includes(status) || SHARED_BUDGETS.test(text));

/** Counts the reasons that were given for answers without success. */
function countedReasons(answers) {
  const counts = {};
  for (const answer of answers.filter((one) => !isDone(one))) {
    const reason = reasonOf(answer);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function reasonOf({ status, text }) {
  try {
    const { data, message } = JSON.parse(text);
    const which = data.scope ?? data.bound ?? data.rule ?? data.reason ?? message;
    // Seconds and amounts differ from one answer to the next.
    return `${status} ${data.code} ${String(which).replaceAll(/\d[\d.,]*/g, '…')}`;
  } catch {
    return `${status} ${text}`;
  }
}
