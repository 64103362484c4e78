// Positions of a failure in the sources. Node's `--enable-source-maps` would look them up for every stack that anyone reads, and
// a failed gRPC call reads two: a tenth of the CPU of services' tests.
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a transpiled module, which the query of its test file may follow. */
const PLACE = /(file:\/\/[^\s()?]+\.ts)(?:\?file=\d+)?:(\d+):(\d+)/g;
const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;

const maps = new Map();

/**
 * Replaces places in transpiled modules by those in their sources, in the stacks of an error and of its causes.
 *
 * @param readTranspiled resolves to the code of a source file, with its inline map
 */
export async function showSourcePositions(error, readTranspiled, seen = new Set()) {
  if (!(error instanceof Error) || seen.has(error)) return;
  seen.add(error);
  const stack = typeof error.stack === 'string' ? await inSources(error.stack, readTranspiled) : undefined;
  if (stack !== undefined && stack !== error.stack) error.stack = stack;
  for (const each of [error.cause, ...(error.errors ?? [])]) await showSourcePositions(each, readTranspiled, seen);
}

async function inSources(stack, readTranspiled) {
  for (const [, url] of stack.matchAll(PLACE)) {
    if (!maps.has(url)) maps.set(url, mapOf(await readTranspiled(fileURLToPath(url))));
  }
  return stack.replace(PLACE, (place, url, line, column) => {
    const { originalLine, originalColumn } = maps.get(url)?.findEntry(line - 1, column - 1) ?? {};
    return originalLine === undefined ? place : `${fileURLToPath(url)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(code) {
  const inline = INLINE_MAP.exec(code)?.[1];
  return inline && new SourceMap(JSON.parse(Buffer.from(inline, 'base64').toString()));
}
