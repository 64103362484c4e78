import TestSequencer from '@jest/test-sequencer';
import { readFileSync } from 'node:fs';

/** Suites that start a deployment of processes, or a broker. */
const STARTS_MUCH = /\/(tools\/soak|apps\/standalone\/test)\/|\/kafka-[^/]+$/;

/** Which deployment of its worker a test file shares, as it names it. */
const SHARES = /await shareDeployment\((.*)\)/;

/**
 * Begins with what takes longest: in a fresh clone Jest has no durations to go by, and takes the size of a file for one.
 * Files that share a deployment follow one another, so that a worker need not start it twice.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const rank = new Map(super.sort(tests).map((test, index) => [test, index]));
    const group = new Map(tests.map((test) => [test, groupOf(test.path)]));
    const byGroup = (a, b) => (group.get(a) < group.get(b) ? -1 : group.get(a) > group.get(b) ? 1 : 0);
    return [...tests].sort((a, b) => byGroup(a, b) || rank.get(a) - rank.get(b));
  }
}

/** Files of the same group run one after the other; groups run in this order. */
function groupOf(file) {
  if (!STARTS_MUCH.test(file)) return '3 starts little';
  const shared = SHARES.exec(readFileSync(file, 'utf8'));
  return shared ? `1 ${shared[1]}` : '2 starts its own';
}
