// Events on their way through a real broker while everything on that way dies again and again.
import { eventually } from '@agent-wallet/testing';
import kafkajs from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeStream, openBroker } from '../../pipeline/broker.mjs';
import { openRound, openServer } from '../../pipeline/databases.mjs';
import { closing } from '../../measuring/closing.mjs';
import { Random } from '../random.mjs';
import { Load } from './load.mjs';
import { Pair } from './pair.mjs';
import { judge } from './verdict.mjs';

const HEADING = 'Events through a broker';
const RATE_PER_SECOND = 300;
const KILLS = 20;
const OUTAGE_MS = 30_000;
const FREEZE_MS = 5_000;
const LONGEST_ABSENCE_MS = 1_500;
/** The group misses a dead member after ten seconds. */
const PROGRESS_WITHIN_MS = 30_000;
const QUIET_WITHIN_MS = 180_000;
const POLL_MS = 50;

/**
 * Two relays and two consumers under load: `kills` of each, and between them a broker that is killed and away for
 * `outageMs`, and one that freezes.
 */
export async function soakEvents({
  seed,
  kills = KILLS,
  outageMs = OUTAGE_MS,
  freezeMs = FREEZE_MS,
  ratePerSecond = RATE_PER_SECOND,
}) {
  console.log(`soaking events with seed ${seed}`);
  const work = await open();
  const random = new Random(seed);
  work.load.start({ random: new Random(seed + 1), ratePerSecond });
  for (const step of stepsOf({ kills, outageMs, freezeMs }, random)) {
    await step(work, random);
    await untilProgress(work);
  }
  await work.load.stop();
  await untilQuiet(work);
  const checks = await judge({ sql: work.round.sql, committed: work.load.committed });
  const result = {
    ...{ seed, checks, kills: [work.relays.kills, work.histories.kills], outageMs, freezeMs },
    ...{ committed: work.load.count, rolledBack: work.load.rolledBack, sent: await countSent(work.stream) },
  };
  await Promise.all([work.relays.stop(), work.histories.stop()]);
  return { heading: HEADING, report: reportOf(result), isGood: checks.all.every(({ ok }) => ok), checks };
}

async function open() {
  const kafka = await openBroker();
  const stream = await makeStream(kafka);
  const round = await openRound(await openServer());
  closing(round, () => round.close());
  const { wallet, history } = round.connections;
  const relays = new Pair('relay-process.mjs', { connection: wallet, stream });
  const histories = new Pair('history-process.mjs', { connection: history, stream });
  await Promise.all([relays.start(), histories.start()]);
  return { kafka, stream, round, relays, histories, load: new Load(wallet) };
}

/** Kills in random order; the outage is in the middle of them, and one of each is killed meanwhile. */
function stepsOf({ kills, outageMs, freezeMs }, random) {
  const killRelay = ({ relays }) => relays.killOne(random, LONGEST_ABSENCE_MS);
  const killHistory = ({ histories }) => histories.killOne(random, LONGEST_ABSENCE_MS);
  const steps = [...Array(kills - 1).fill(killRelay), ...Array(kills - 1).fill(killHistory)];
  const shuffled = steps.map((step) => ({ step, at: random.next() })).sort((a, b) => a.at - b.at);
  const outage = async (work) => {
    await work.kafka.kill();
    await Promise.all([sleep(outageMs), killRelay(work).then(() => killHistory(work))]);
    await work.kafka.restart();
  };
  const freeze = async ({ kafka }) => {
    kafka.pause();
    await sleep(freezeMs);
    kafka.resume();
  };
  return shuffled.map(({ step }) => step).toSpliced(Math.floor(steps.length / 2), 0, freeze, outage);
}

const countRecorded = async ({ round: { sql } }) => (await sql('select count(*)::int as n from history.events'))[0].n;

/** Every kill meets a pipeline that moves. */
async function untilProgress(work) {
  const before = await countRecorded(work);
  const recorded = () => countRecorded(work);
  await eventually(recorded, (now) => now > before, PROGRESS_WITHIN_MS, POLL_MS);
}

async function untilQuiet(work) {
  const { sql } = work.round;
  const isQuiet = async () =>
    (await sql('select 1 from wallet.outbox limit 1')).length === 0 && (await countRecorded(work)) >= work.load.count;
  // What is missing then is for the verdict to say.
  await eventually(isQuiet, Boolean, QUIET_WITHIN_MS, POLL_MS).catch(() => undefined);
}

/** How many messages the topic has got: more than events, if some were sent again. */
async function countSent({ brokers, topic }) {
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'soak', logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return offsets.reduce((sum, { offset }) => sum + Number(offset), 0);
}

function reportOf({ seed, checks, kills: [relays, histories], outageMs, freezeMs, committed, rolledBack, sent }) {
  const wrong = checks.all.filter(({ ok }) => !ok);
  const verdict = wrong.length === 0 ? 'every event is recorded once, in order' : '**they do not agree**';
  return `\`npm run soak -- events --seed ${seed}\`, two relays and two replicas of history as processes, one broker.

| What happened                                    | Count |
| ------------------------------------------------ | ----: |
| events committed                                 | ${committed} |
| events rolled back                               | ${rolledBack} |
| messages in the topic                            | ${sent} |
| relays killed (SIGKILL)                          | ${relays} |
| replicas of history killed (SIGKILL)             | ${histories} |
| seconds without a broker (SIGKILL, restart)      | ${outageMs / 1_000} |
| seconds with a frozen broker (SIGSTOP)           | ${freezeMs / 1_000} |

At the end: ${verdict}.

${checks.all.map(({ name, ok, found }) => `- ${ok ? 'none' : `**${found}**`}: ${name}`).join('\n')}
`;
}
