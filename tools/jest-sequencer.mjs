import TestSequencer from '@jest/test-sequencer';

/** Suites that start a deployment of processes, or a broker. */
const STARTS_MUCH = /\/(tools\/soak|apps\/standalone\/test)\/|\/kafka-[^/]+$/;

/** Begins with what takes longest: in a fresh clone Jest has no durations to go by, and takes the size of a file for one. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => STARTS_MUCH.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
