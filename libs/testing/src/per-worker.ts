/**
 * A value that a worker of the test runner keeps between test files. The runner ends it with the worker
 * (tools/jest/worker.mjs).
 */
interface Kept {
  readonly key: string;
  readonly value: unknown;
  readonly end: () => Promise<void>;
}

const KEPT = Symbol.for('agent-wallet.kept-in-worker');
const registry = globalThis as { [KEPT]?: Map<string, Kept> };

/**
 * Returns a costly value, such as a deployment, of which a worker keeps one at a time. It reuses the value that an
 * earlier test file of this worker opened under the same name and key, or opens a new one. A value with another key is
 * ended first.
 */
export async function keptInWorker<Value>(
  name: string,
  key: string,
  { open, end }: { readonly open: () => Promise<Value>; readonly end: (value: Value) => Promise<void> },
): Promise<Value> {
  const all = (registry[KEPT] ??= new Map<string, Kept>());
  const known = all.get(name);
  if (known?.key === key) return known.value as Value;
  all.delete(name);
  await known?.end();
  const value = await open();
  all.set(name, { key, value, end: () => end(value) });
  return value;
}
