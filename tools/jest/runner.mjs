// Runs test files in worker processes that load modules with Node's own loader, each module once per worker. Jest's default
// runner links every module again for every file: see decision 23.
import { scratchDirectory } from '@agent-wallet/testing';
import { Worker } from 'jest-worker';
import { fileURLToPath } from 'node:url';
import { Waiting } from './lanes.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const LOADER = new URL('register-loader.mjs', import.meta.url).href;

/** A worker may have a deployment to stop. */
const WORKER_END_TIMEOUT_MS = 60_000;

const LEFT_OPEN =
  'A worker did not end by itself: one of its files left a socket, a server or a timer open. Run files alone to see which.';

/** A Jest runner (`runner` in a project's configuration) for ES modules in TypeScript. */
export default class NativeRunner {
  supportsEventEmitters = false;
  isSerial = false;

  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  /** Calls back as Jest's scheduler expects: `onStart(test)`, then `onResult(test, result)` or `onFailure(test, error)`. */
  async runTests(tests, watcher, ...callbacks) {
    const [onStart, onResult, onFailure] = callbacks;
    const waiting = new Waiting(tests);
    const runIn = async (number) => {
      const worker = startWorker();
      const next = () => (watcher.isInterrupted() ? undefined : waiting.next(number));
      for (let test = next(); test; test = next()) {
        await onStart(test);
        const file = { path: test.path, config: test.context.config, globalConfig: this.globalConfig };
        await worker.runFile(file).then(
          (result) => onResult(test, result),
          (error) => onFailure(test, error),
        );
      }
      const { forceExited } = await worker.end();
      if (forceExited) process.stderr.write(`${LEFT_OPEN}\n`);
    };
    const count = Math.min(this.globalConfig.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: count }, (_, number) => runIn(number)));
  }
}

/** One process, so that it is known which one keeps what files share. */
function startWorker() {
  const worker = new Worker(WORKER, {
    exposedMethods: ['runFile'],
    numWorkers: 1,
    maxRetries: 0,
    workerGracefulExitTimeout: WORKER_END_TIMEOUT_MS,
    forkOptions: {
      // Nothing that tests write must survive a crash of the machine, and databases wait for a disk at every commit.
      env: { ...process.env, TMPDIR: process.env.TMPDIR ?? scratchDirectory() },
      serialization: 'json',
      stdio: 'pipe',
      execArgv: [
        '--conditions=@agent-wallet/source',
        `--import=${LOADER}`,
        '--no-warnings',
        '--max-semi-space-size=64',
      ],
    },
  });
  worker.getStdout()?.pipe(process.stdout);
  worker.getStderr()?.pipe(process.stderr);
  return worker;
}
