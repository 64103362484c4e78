import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { filesBelow, read } from './repository.js';

const files = filesBelow('.');
const pages = files.filter((file) => file.endsWith('.md'));
const tests = files.filter((file) => /\.spec\.[mc]?[jt]s$/.test(file));

/** Where docs/security.md means a test that it names without a folder. */
const FOLDER = 'apps/standalone/test';

/** Test files that a page names in code, with braces expanded. */
function namedIn(page: string): string[] {
  const words = [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/\s+/));
  return words.filter((word) => /^[\w./*{},-]+\.spec\.(?:ts|mjs)$/.test(word)).flatMap(expanded);
}

/** Names that `a{b,c}d` stands for. */
function expanded(name: string): string[] {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  if (choices === undefined) return [name];
  return choices.split(',').flatMap((choice) => expanded(`${before}${choice}${after}`));
}

function isThere(name: string): boolean {
  const file = name.includes('/') ? name : path.posix.join(FOLDER, name);
  const pattern = file.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  return tests.some((test) => new RegExp(`^${pattern}$`).test(test));
}

describe('tests that a page names', () => {
  it('are many', () => {
    expect(pages.flatMap((page) => namedIn(read(page))).length).toBeGreaterThan(200);
  });

  it.each(pages)('exist: %s', (page) => {
    expect(namedIn(read(page)).filter((name) => !isThere(name))).toEqual([]);
  });

  it('are found in code, with braces and globs', () => {
    const page = 'Run `node a.mjs apps/{a,b}/test/c{,-d}.spec.ts`, or `e*.spec.mjs`. Not x.spec.ts, `*.text.spec.*`.';
    const ofApps = ['a', 'b'].flatMap((app) => [`apps/${app}/test/c.spec.ts`, `apps/${app}/test/c-d.spec.ts`]);
    expect(namedIn(page)).toEqual([...ofApps, 'e*.spec.mjs']);
    expect(['tools/jest/lanes.spec.mjs', 'tools/jest/l*.spec.mjs', 'compose-jobs.spec.ts'].map(isThere)).toEqual([
      ...[true, true, true],
    ]);
    expect(['tools/jest/gone.spec.mjs', 'tools/*.spec.ts', 'lanes.spec.mjs'].map(isThere)).toEqual([
      ...[false, false, false],
    ]);
  });
});
