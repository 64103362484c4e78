#!/usr/bin/env node
// What the wallet costs, as ratios to bare clients measured in the same run: `npm run bench -- --help`.
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { bundle, removeBundles } from '../bundle.mjs';
import { ensureInstalled } from '../install.mjs';
import { run } from '../process.mjs';
import { CannotMeasure } from './measure/cannot-measure.mjs';
import { closeAll } from './measure/closing.mjs';
import { HELP, readOptions } from './options.mjs';
import { isCorrect, reportOf } from './report.mjs';

const ENDED_BY_SIGNAL = 130;

/** Each loads packages and what was built from them, so it is imported when both are there. */
const BENCHMARKS = {
  reservations: async (options) => (await import('./reservations/reservations.mjs')).measureReservations(options),
  transfers: async (options) => (await import('./transfers/transfers.mjs')).measureTransfers(options),
  latency: async (options) => (await import('./latency/latency.mjs')).measureLatency(options),
  trades: async (options) => (await import('./trades/trades.mjs')).measureTrades(options),
  buys: async (options) => (await import('./buys/buys.mjs')).measureBuys(options),
  signer: async (options) => (await import('./signer/signer.mjs')).measureSigner(options),
  'policy-read': async (options) => (await import('./gateway/policy-read.mjs')).measurePolicyRead(options),
  replay: async (options) => (await import('./gateway/replay.mjs')).measureReplay(options),
  browse: async (options) => (await import('./browse/browse.mjs')).measureBrowse(options),
  balances: async (options) => (await import('./balances/balances.mjs')).measureBalances(options),
  events: async (options) => (await import('./events/events.mjs')).measureEvents(options),
  'event-lag': async (options) => (await import('./events/lag.mjs')).measureEventLag(options),
  'api-profile': async (options) => (await import('./api-profile/api-profile.mjs')).measureApiProfile(options),
  start: async (options) => (await import('./start/start.mjs')).measureStart(options),
  'history-pages': async (options) => (await import('./history/history-pages.mjs')).measureHistoryPages(options),
};

async function bench(options) {
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  // A profile tells packages apart, a bundle does not.
  await (options.profilePath ? removeBundles() : bundle());
  const machine = { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version, load: os.loadavg()[0] };
  const results = [];
  for (const name of options.benchmarks) {
    console.log(`\nmeasuring ${name} …`);
    const result = await BENCHMARKS[name](options).catch((error) => {
      if (!(error instanceof CannotMeasure)) throw error;
      console.log(`  not measured: ${error.message}`);
    });
    if (result) results.push(result);
    await closeAll();
  }
  console.log(reportOf({ machine, results }));
  if (options.jsonPath) await writeFile(options.jsonPath, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  return isCorrect(results) ? 0 : 1;
}

/** What was started ends with us, whatever ends us. */
async function leave(code) {
  await closeAll();
  process.exit(code);
}

const options = readOptions(process.argv.slice(2), Object.keys(BENCHMARKS));
if (options.problem) {
  console.error(`${options.problem}\n\n${HELP}`);
  process.exit(1);
} else if (options.help) {
  console.log(HELP);
} else {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void leave(ENDED_BY_SIGNAL));
  const code = await bench(options).catch((error) => {
    console.error(error);
    return 1;
  });
  await leave(code);
}
