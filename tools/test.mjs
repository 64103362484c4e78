#!/usr/bin/env node
// Installs what is missing, builds, and runs the tests. HELP says what it takes.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureInstalled } from './running/install.mjs';
import { root } from './running/process.mjs';
import { isGood, reportOf, runSuites } from './running/suites.mjs';

const HELP = `Usage: npm test                        every suite of the gate that this machine can run
       npm test -- wallet              the tests of one project, or of several: apps, libs, or tools
       npm test -- wallet deposits     its test files whose path matches
       npm test -- --every-suite       a suite that cannot run is a failure
       npm test -- --repeat-failed     a failed file runs once more by itself; one that then passes is named as flaky

At the end it prints the slowest files and the time of each group; .data/test-runs keeps them, and
\`node tools/measuring/compare-test-runs.mjs\` compares two runs. Longer tests: \`npm run nightly -- --help\`.`;

/** Complete systems that one run may start; each costs some 15 processes. */
const MOST_SYSTEMS = 12;

/** Projects whose tests start deployments. */
const DEPLOYS = new Set(['standalone', 'tools']);

/** Every suite of the gate. @returns {import('./running/suites.mjs').Suite[]} */
async function suitesOf({ repeats }) {
  const { runJest } = await import('./running/test-suites.mjs');
  return [
    {
      name: 'jest: libraries, services, and the whole system',
      run: () => runJest({ repeats, mostSystems: MOST_SYSTEMS }),
    },
  ];
}

/** With packages that may have been installed just now. */
async function buildAll() {
  const { build } = await import('./build.mjs');
  await build();
}

/** Whether a word names a project, which is what Jest calls it: the name of its folder. */
function isProject(word) {
  return (
    word === 'tools' || ['apps', 'libs'].some((kind) => existsSync(path.join(root, kind, word, 'jest.config.mjs')))
  );
}

const FLAGS = new Set(['--every-suite', '--repeat-failed']);
const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}
const projects = words.filter(isProject);
const unknown = projects.length > 0 ? undefined : words.find((word) => !FLAGS.has(word));
if (unknown !== undefined) {
  console.error(`${unknown} is not a project of this workspace.\n\n${HELP}`);
  process.exit(2);
}
await ensureInstalled();
await buildAll();
// Processes start in a fraction of the time, and what is tested is what an image holds. Without bundles, tests of one service
// start what is built.
if (projects.length === 0 || projects.some((name) => DEPLOYS.has(name))) await bundle();
if (projects.length > 0) {
  const { jest } = await import('./jest.mjs');
  const patterns = words.filter((word) => !isProject(word));
  const { code } = await jest(['--selectProjects', ...projects, '--', ...patterns]);
  process.exit(code);
}
const results = await runSuites(await suitesOf({ repeats: words.includes('--repeat-failed') }));
console.log(`\n${reportOf(results)}`);
process.exit(isGood(results, { every: words.includes('--every-suite') }) ? 0 : 1);
