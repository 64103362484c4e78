// Lanes of test files. A file's name decides its lane, and the lane decides which command and which worker runs it.

/**
 * Lanes by the end of a file's name:
 * - `*.system.spec.*` starts or shares a deployment of processes, a browser or a broker. One worker runs all of them.
 * - `*.nightly.spec.*` runs in `npm run nightly` only.
 * - `*.text.spec.*` reads files of the repository, and runs in `npm run check` only.
 * - every other `*.spec.*` tests code, a database or one service.
 */
const NAMED_LANE = /\.(system|nightly|text)\.spec\.[mc]?[jt]s$/;

/** Returns the lane of a test file: `system`, `nightly`, `text` or `parts`. */
export function laneOf(file) {
  return NAMED_LANE.exec(file)?.[1] ?? 'parts';
}

/**
 * Returns the patterns of test files that a run leaves out. `TEST_LANE=text` leaves out all but the text lane, and
 * `TEST_LANE=every` nothing. Otherwise a run leaves out the text lane and, without `NIGHTLY=1`, the nightly lane.
 */
export function ignoredFiles({ TEST_LANE, NIGHTLY }) {
  if (TEST_LANE === 'text') return ['^(?!.*\\.text\\.spec\\.)'];
  if (TEST_LANE === 'every') return [];
  return ['\\.text\\.spec\\.', ...(NIGHTLY === '1' ? [] : ['\\.nightly\\.spec\\.'])];
}

/** Returns the `TEST_LANE` with which Jest runs the test files that its arguments name by their paths. */
export function laneToRun(args) {
  const lanes = new Set(args.filter((arg) => /\.spec\.[mc]?[jt]s$/.test(arg)).map(laneOf));
  if (lanes.size === 1 && lanes.has('text')) return 'text';
  return lanes.has('text') || lanes.has('nightly') ? 'every' : undefined;
}

/** Whether a file may start complete systems. The nightly lane is run like the system lane: one file at a time. */
const startsSystems = (test) => ['system', 'nightly'].includes(laneOf(test.path));

/**
 * The files of a run that no worker has taken. Worker 0 runs the files that start systems and then helps with the rest;
 * every other worker runs only the rest. So two complete systems never run at once.
 */
export class Waiting {
  #systems;
  #parts;

  constructor(tests) {
    this.#systems = tests.filter(startsSystems);
    this.#parts = tests.filter((test) => !startsSystems(test));
  }

  /** Returns the next file for a worker, or undefined when it has nothing left to do. */
  next(worker) {
    const system = worker === 0 ? this.#systems.shift() : undefined;
    return system ?? this.#parts.shift();
  }
}
