#!/usr/bin/env node
// What the wallet costs, against bare clients or against another commit: `npm run bench -- --help`.
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { bundle } from '../bundle.mjs';
import { closeAll } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { run } from '../running/process.mjs';
import { BENCHMARKS, HELP, readOptions } from './options.mjs';
import { isCorrect, machineText, resultText } from './report.mjs';

const ENDED_BY_SIGNAL = 130;

async function bench(options) {
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const machine = { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version, load: os.loadavg()[0] };
  const results = [];
  const report = (result) => {
    results.push(result);
    console.log(resultText(result));
  };
  await (options.commit ? measureAgainst(options, report) : measureAlone(options, report));
  console.log(machineText(machine));
  if (options.jsonPath) await writeFile(options.jsonPath, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  return isCorrect(results) ? 0 : 1;
}

/** Each benchmark loads packages and what was built from them, so it is imported when both are there. */
async function measureAlone(options, report) {
  await bundle();
  for (const name of options.benchmarks) {
    console.log(`\nmeasuring ${name} …`);
    const { measure } = await import(`./${name}.mjs`);
    const result = await measure(options);
    if (result) report({ name, ...result });
    await closeAll();
  }
}

async function measureAgainst(options, report) {
  const against = await import('./against/against.mjs');
  await against.measureAgainst(options, report);
}

/** Everything that was started ends with this process, however it ends: a second Ctrl-C does not cut that short. */
let leaving;
function leave(code) {
  leaving ??= closeAll().then(() => process.exit(code));
  return leaving;
}

const options = readOptions(process.argv.slice(2), BENCHMARKS);
if (options.problem) {
  console.error(`${options.problem}\n\n${HELP}`);
  process.exit(1);
} else if (options.help) {
  console.log(HELP);
} else {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void leave(ENDED_BY_SIGNAL));
  const code = await bench(options).catch((error) => {
    if (!leaving) console.error(error);
    return 1;
  });
  await leave(code);
}
