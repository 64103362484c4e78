// Loads the suite with `globSync`, which it imports from `fs` for a command of another kind, and which Node 20 lacks.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const FS = `data:text/javascript,${encodeURIComponent(
  "export * from 'node:fs'; export function globSync() { throw new Error('globSync is not part of Node 20'); }",
)}`;

/** Resolves `fs` to its replacement, for the suite alone. */
export function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')) {
    return { url: FS, shortCircuit: true };
  }
  return next(specifier, context);
}

// The thread of the hooks loads this file, too.
if (isMainThread) register(import.meta.url);
