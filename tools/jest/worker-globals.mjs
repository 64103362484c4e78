const KEY = Symbol.for('agent-wallet.jest-globals');

/** What the current test file imports from @jest/globals; the worker sets it before it loads the file. */
export const workerGlobals = () => globalThis[KEY];

export function setWorkerGlobals(globals) {
  globalThis[KEY] = globals;
}
