#!/usr/bin/env node
// All that is said of the sandbox overlay, tried in a real cluster: `npm run cluster-test -- --help`.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { Cluster } from './cluster.mjs';
import { playDemo } from './demo.mjs';
import { buildImages, smokeImage } from './images.mjs';
import { scanLogs } from './logs.mjs';
import { testNetwork } from './network.mjs';
import { HELP, readOptions } from './options.mjs';
import { applyOverlay, openForTrials, takeDown } from './overlay.mjs';
import { measuredOn } from '../measuring/measured-on.mjs';
import { versionsOf, writePage } from './page.mjs';
import { PodLogs } from './pod-logs.mjs';
import { PodWatch } from './pod-watch.mjs';
import { rollOut } from './rollout.mjs';
import { Table } from './table.mjs';
import { makeTrouble } from './trouble.mjs';

const NAMESPACE = 'agent-wallet';

/** Stages, and which of them need the way that trials take. */
const WORK = {
  images: buildImages,
  up: applyOverlay,
  smoke: smokeImage,
  network: testNetwork,
  demo: playDemo,
  rollout: rollOut,
  trouble: makeTrouble,
  logs: scanLogs,
};
const NEED_TRIALS = ['rollout', 'trouble'];

/** Runs the stages that were asked for. @returns whether every check passed */
async function runStages(options) {
  const table = new Table();
  const cluster = await new Cluster(NAMESPACE, root).open();
  const folder = options.logs ?? mkdtempSync(path.join(tmpdir(), 'cluster-test-'));
  const logs = new PodLogs(cluster, folder);
  cluster.watch = new PodWatch(cluster, (pod) => logs.see(pod)).start();
  console.log(`seed ${options.seed}; logs of pods are kept in ${folder}`);
  const test = { cluster, table, options, logs, secrets: [] };
  const at = new Date(performance.timeOrigin);
  try {
    await runEach(test);
    if (options.write) {
      const versions = { ...(await versionsOf(cluster)), Machine: `Node ${process.version} runs the test` };
      const page = { table, versions, command: commandOf(options), at, measured: await measuredOn(at) };
      await writePage(path.resolve(root, options.write), page);
    }
    if (options.down) await takeDown(test);
  } finally {
    cluster.watch.stop();
    logs.stop();
    cluster.close();
  }
  console.log(`\n${table}`);
  return table.isGood;
}

/** A stage that cannot go on ends the run: those after it build on it. */
async function runEach(test) {
  let isOpen = false;
  for (const stage of test.options.stages) {
    console.log(`\n== ${stage}`);
    try {
      if (NEED_TRIALS.includes(stage) && !isOpen) {
        await openForTrials(test.cluster);
        isOpen = true;
      }
      await WORK[stage](test);
    } catch (error) {
      test.table.add(`stage ${stage}`, { ok: false, seen: error.message });
      return;
    }
  }
}

function commandOf({ stages, seed, agents, services, ...options }) {
  const only = services ? [`--service ${services.join(' --service ')}`] : [];
  const seconds = `--kill-seconds ${options['kill-seconds']}${options['kill-command'] ? " --kill-command '…'" : ''}`;
  return ['npm run cluster-test --', ...stages, `--agents ${agents}`, seconds, ...only, `--seed ${seed}`].join(' ');
}

async function main() {
  let options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  return (await runStages(options)) ? 0 : 1;
}

process.exit(
  await main().catch((error) => {
    console.error(error.message);
    return 1;
  }),
);
