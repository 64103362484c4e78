#!/usr/bin/env node
// A long day of load and trouble, and whether the ledger agrees at its end: `npm run soak -- --help`.
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { root, run } from '../running/process.mjs';
import { measuredOn } from '../measuring/measured-on.mjs';
import { writeSection } from './page.mjs';

const HELP = `Usage: npm run soak -- [predictions | events] [options]

Runs every service twice as processes of their own, has agents send, receive, trade, buy, read and change their
policies, and kills processes and arms faults of chain and exchange at random. At the end chain, operations,
reservations, ledger and history must agree to the base unit; exits with 1 when they do not.

  --minutes N     how long (default 20)
  --agents N      how many agents act at once (default 12)

With \`predictions\`, agents buy, sell and withdraw while markets move and end. After every step an agent's money must be
what its responses add up to, after every hundred operations everything must add up.

  --operations N  how many (default 10000)
  --agents N      how many agents act at once (default 24)

With \`events\`, two relays and two replicas of history bring events through a real broker (Java 17) under load, while 20 of
each are killed and the broker is away for 30 seconds. Every event must be recorded once, in the order of its agent.

  --kills N       how many of each (default 20, at least 1)

  --seed N        repeats the choices of a run (printed by each; the machine's timing stays its own)
  --write         writes the result to docs/soak.md
  --help          this text`;

/** Each loads what was just built, so it is imported when that is there. */
const SOAKS = {
  day: async (options) => (await import('./day.mjs')).soakDay(options),
  events: async (options) => (await import('./events/soak-events.mjs')).soakEvents(options),
  predictions: async (options) => (await import('./predictions/soak-predictions.mjs')).soakPredictions(options),
};

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '20' },
      operations: { type: 'string', default: '10000' },
      agents: { type: 'string' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [name = 'day', ...more] = positionals;
  if (values.help || more.length > 0 || !Object.hasOwn(SOAKS, name)) {
    console.log(HELP);
    return values.help ? 0 : 1;
  }
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const agents = values.agents === undefined ? undefined : Number(values.agents);
  const { minutes, operations, kills, seed } = values;
  const sizes = { minutes: Number(minutes), operations: Number(operations), kills: Number(kills) };
  const options = { ...sizes, agents, seed: Number(seed) };
  const { heading, report, isGood } = await SOAKS[name](options);
  console.log(`\n${report}`);
  if (values.write) {
    const text = `${await measuredOn(new Date(performance.timeOrigin))}\n\n${report}`;
    await writeSection(path.join(root, 'docs', 'soak.md'), heading, text);
  }
  return isGood ? 0 : 1;
}

/** Everything that was started ends with this process, however it ends. */
async function leave(code) {
  await closeAll();
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void leave(130));
await leave(
  await main().catch((error) => {
    console.error(error);
    return 1;
  }),
);
