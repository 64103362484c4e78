// Lanes of test files. A file's name decides its lane, and the lane decides which worker runs it.

/**
 * Lanes by the end of a file's name:
 * - `*.system.spec.*` starts or shares a deployment of processes, a browser or a broker. One worker runs all of them.
 * - `*.nightly.spec.*` runs in `npm run nightly` only.
 * - every other `*.spec.*` tests code, a database or one service.
 */
const NAMED_LANE = /\.(system|nightly)\.spec\.[mc]?[jt]s$/;

/** Returns the lane of a test file: `system`, `nightly` or `parts`. */
export function laneOf(file) {
  return NAMED_LANE.exec(file)?.[1] ?? 'parts';
}

/** Whether a file may start complete systems. The nightly lane is run like the system lane: one file at a time. */
const startsSystems = (test) => laneOf(test.path) !== 'parts';

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
