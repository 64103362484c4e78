// One worker of the native runner: runs test files one after the other by jest-circus, in this process's own realm.
import { ModernFakeTimers } from '@jest/fake-timers';
import circusRunner from 'jest-circus/runner';
import { ModuleMocker } from 'jest-mock';
import fc from 'fast-check';
import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { showSourcePositions } from './source-positions.mjs';
import { setWorkerGlobals } from './worker-globals.mjs';

const require = createRequire(import.meta.url);

// What tests fork is a program as it is built, and not for this worker's loader.
process.execArgv = [];

/** Where jest-circus keeps what hears its events, and the time-out that a test file has set. Its other state is its modules'. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** Seed of every random choice of tests: the same in each run of the gate, another one each night. */
const GATE_SEED = '20261128';
process.env.TEST_SEED ??= GATE_SEED;
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {}, rootDir: process.cwd() }, global: globalThis });

const TIMER_METHODS = ['advanceTimersByTime', 'advanceTimersByTimeAsync', 'getTimerCount', 'setSystemTime'];

/** The part of `jest` that works without a module registry for each test file. */
const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  setTimeout: (timeoutMs) => void (globalThis[TEST_TIMEOUT] = timeoutMs),
  useFakeTimers: (config) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  ...Object.fromEntries(TIMER_METHODS.map((name) => [name, timers[name].bind(timers)])),
};

const runWithCircus = circusRunner.default;

/** What jest-circus has made for the file that runs. */
const contexts = [];

/** jest-circus is made for a realm of its own for each file: this is how it starts without the tests of the file before. */
function requireAfresh(file) {
  delete require.cache[require.resolve(file)];
  delete globalThis[EVENT_HANDLERS];
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor() {
      super();
      contexts.push(this);
    }
  };
  try {
    return require(file);
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

/** Failures say where they are in the sources. */
const environment = {
  global: globalThis,
  async handleTestEvent({ name, error, test, hook }) {
    if (['test_fn_failure', 'hook_failure', 'error'].includes(name)) await locate(error, (hook ?? test)?.asyncError);
  },
};

async function locate(...errors) {
  const { transpiled } = await import('./loader.mjs');
  for (const error of errors) await showSourcePositions(error, transpiled);
}

let files = 0;
let project;

/** Runs one test file; resolves to Jest's result of it. */
export async function runFile({ path, config, globalConfig }) {
  const { exitCode } = process;
  files += 1;
  process.env.RUNNING_TEST_FILE = path;
  // What one project's files have left is of no use to those of another, and costs CPU while it runs.
  if (project !== config.id) await teardown();
  project = config.id;
  const runtime = {
    requireInternalModule: requireAfresh,
    requireModule: require,
    setGlobalsForRuntime: (globals) => setWorkerGlobals({ ...globals, jest }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(`${pathToFileURL(file)}?file=${files}`),
    enterTestCode() {},
    leaveTestCode() {},
  };
  const startedAtMs = Date.now();
  try {
    const result = await runWithCircus(globalConfig, config, environment, runtime, path);
    const end = Date.now();
    const perfStats = { start: startedAtMs, end, runtime: end - startedAtMs, slow: end - startedAtMs > 5_000 };
    return {
      ...result,
      displayName: config.displayName,
      perfStats,
      skipped: result.numPassingTests + result.numFailingTests === 0 && result.numPendingTests > 0,
    };
  } catch (error) {
    await locate(error);
    throw error;
  } finally {
    // Node visits every context that is not disabled for every promise that is made.
    for (const context of contexts.splice(0)) context.disable();
    delete globalThis[TEST_TIMEOUT];
    timers.useRealTimers();
    mocker.restoreAllMocks();
    process.exitCode = exitCode;
  }
}

/** Ends what test files have left for later ones (libs/testing/src/per-worker.ts); jest-worker calls it, too, at the end. */
export async function teardown() {
  const kept = globalThis[Symbol.for('agent-wallet.kept-in-worker')] ?? new Map();
  const all = [...kept.values()];
  kept.clear();
  await Promise.all(all.map(({ end }) => end()));
}
