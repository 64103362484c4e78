import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { filesBelow, read } from './repository.js';

const files = filesBelow('.');
const pages = files.filter((file) => file.endsWith('.md'));
const tests = files.filter((file) => /\.spec\.[mc]?[jt]s$/.test(file));

/** Where docs/security.md means a test that it names without a folder. */
const FOLDER = 'apps/standalone/test';

/** Pages whose every section names the tests that show what it says. */
const SHOWN = ['docs/owners.md', 'docs/security.md'];

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

/** Sections of a page, and rows of its tables with tests, that name no test. */
function untestedIn(page: string): string[] {
  const sections = page.split(/^## /m).slice(1);
  const tables = page.split('\n\n').filter((block) => /^\|.*\| Test +\|$/m.test(block));
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(2));
  return [...sections, ...rows].filter((part) => namedIn(part).length === 0).map((part) => part.split('\n')[0]!);
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

describe('a section, and a row of a table with tests,', () => {
  it.each(SHOWN)('names a test: %s', (page) => {
    expect(untestedIn(read(page))).toEqual([]);
  });

  it('is found where it names none', () => {
    const table = '| Cannot | Test |\n| --- | --- |\n| a | `a.spec.ts` |\n| b | |';
    const page = `# Page\n\n## One\n\n${table}\n\n## Two\n\n| C |\n| --- |\n| c |`;
    expect(untestedIn(page)).toEqual(['Two', '| b | |']);
  });
});
