import TestSequencer from '@jest/test-sequencer';
import { groupOf } from './groups.mjs';

/** What waits out time-outs and restarts: it takes long however small its file is. */
const WAITS = /(crash|deliver|expiry|fail|fault|outage|recover|rollback)[^/]*$/;

/**
 * Begins with what takes longest: in a fresh clone Jest has no durations to go by, and takes the size of a file for one.
 * Files that share a deployment follow one another, so that a worker need not start it twice.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const rank = new Map(super.sort(tests).map((test, index) => [test, index]));
    const group = new Map(tests.map((test) => [test, groupOf(test.path)]));
    const byGroup = (a, b) => (group.get(a) < group.get(b) ? -1 : group.get(a) > group.get(b) ? 1 : 0);
    const byWaiting = (a, b) => Number(WAITS.test(b.path)) - Number(WAITS.test(a.path));
    return [...tests].sort((a, b) => byGroup(a, b) || byWaiting(a, b) || rank.get(a) - rank.get(b));
  }
}
