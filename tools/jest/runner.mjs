// Runs test files in worker processes that load modules with Node's own loader, each module once per worker. Jest's default
// runner links every module again for every file: see decision 42.
import { Worker } from 'jest-worker';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const LOADER = new URL('register-loader.mjs', import.meta.url).href;

/** A worker may have a deployment to stop. */
const WORKER_END_TIMEOUT_MS = 60_000;

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
    const { maxWorkers } = this.globalConfig;
    const worker = new Worker(WORKER, {
      exposedMethods: ['runFile'],
      numWorkers: Math.max(1, Math.min(maxWorkers, tests.length)),
      maxRetries: 0,
      workerGracefulExitTimeout: WORKER_END_TIMEOUT_MS,
      forkOptions: {
        serialization: 'json',
        stdio: 'pipe',
        execArgv: ['--conditions=@agent-wallet/source', `--import=${LOADER}`, '--no-warnings', '--enable-source-maps'],
      },
    });
    worker.getStdout()?.pipe(process.stdout);
    worker.getStderr()?.pipe(process.stderr);
    const waiting = [...tests];
    const runNext = async () => {
      for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
        await onStart(test);
        const file = { path: test.path, config: test.context.config, globalConfig: this.globalConfig };
        await worker.runFile(file).then(
          (result) => onResult(test, result),
          (error) => onFailure(test, error),
        );
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxWorkers, tests.length) }, runNext));
    await worker.end();
  }
}
