import { readFileSync, statSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** The deployment that a file shares, as it names it. */
const SHARES = /shareDeployment\((.*?)\)/;

/**
 * Orders files by project and then by size, largest first. The order depends on the tree alone, not on durations of
 * earlier runs, so that the same tree runs in the same order. Files of one project follow one another because a worker
 * ends what it keeps when the project changes; so do the files that share a deployment.
 */
export default class ByProject extends TestSequencer {
  sort(tests) {
    const size = new Map(tests.map((test) => [test, statSync(test.path).size]));
    const project = ({ context }) => context.config.rootDir;
    const shared = new Map(tests.map((test) => [test, SHARES.exec(readFileSync(test.path, 'utf8'))?.[1] ?? '-']));
    const by = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    const orders = [by(project), by((test) => shared.get(test)), by((test) => -size.get(test)), by(({ path }) => path)];
    return [...tests].sort((a, b) => orders.reduce((found, order) => found || order(a, b), 0));
  }
}
