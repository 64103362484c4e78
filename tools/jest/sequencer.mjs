import { statSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/**
 * Orders files by project and then by size, largest first. The order depends on the tree alone, not on durations of
 * earlier runs, so that the same tree runs in the same order. Files of one project follow one another because a worker
 * ends what it keeps when the project changes.
 */
export default class ByProject extends TestSequencer {
  sort(tests) {
    const size = new Map(tests.map((test) => [test, statSync(test.path).size]));
    const project = ({ context }) => context.config.rootDir;
    const byProject = (a, b) => (project(a) < project(b) ? -1 : project(a) > project(b) ? 1 : 0);
    return [...tests].sort((a, b) => byProject(a, b) || size.get(b) - size.get(a) || (a.path < b.path ? -1 : 1));
  }
}
