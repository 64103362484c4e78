import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, read, ROOT as root } from './repository.js';

const files = filesBelow('.');
const sources = files.filter((file) => /\.(tsx?|mjs|cjs|sql|proto)$/.test(file));
const linesOf = (file: string) => read(file).trimEnd().split('\n');
const foldersIn = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [path.posix.join(folder, entry.name)] : [],
  );

/** Where a pattern occurs, as `file:line`. */
function placesOf(pattern: RegExp, among: readonly string[]): string[] {
  return among.flatMap((file) =>
    linesOf(file).flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

/** Built from halves, so that this file does not contain them. */
const words = (...halves: [string, string][]) => new RegExp(halves.map((pair) => pair.join('')).join('|'));

describe('every file', () => {
  it('of source has at most 400 lines', () => {
    expect(sources.filter((file) => linesOf(file).length > 400)).toEqual([]);
  });

  it('of a test looks at sessions and locks of its own database alone, as all tests share one server', () => {
    const looks = /from pg_(?:stat_activity|locks)[^`]*/gi;
    const specs = files.filter((file) => /\/test\/.*\.ts$|\.spec\.ts$/.test(file) && !file.includes('embedded'));
    const wide = specs.filter((file) => (read(file).match(looks) ?? []).some((sql) => !sql.includes('datname')));
    expect(wide).toEqual([]);
  });

  it('promises no work to come', () => {
    const promises = words(['\\bTO', 'DO\\b'], ['\\bFIX', 'ME\\b'], ['\\bXX', 'X\\b'], ['\\bHA', 'CK\\b']);
    expect(placesOf(promises, files)).toEqual([]);
  });

  it('leaves the compiler, the linters and the other tests switched on', () => {
    const switches = words(
      ['(es|ox)lint-', 'disable'],
      ['@ts-', '(ignore|nocheck)'],
      ['\\bas ', 'any\\b'],
      ['\\b(it|test|describe)\\.', '(only|skip)\\('],
    );
    expect(placesOf(switches, sources)).toEqual([]);
  });

  it('knows no machine but the one it runs on', () => {
    const machines = words(['(?<![\\w.}])/(home|Users|root|wo', 'rk|tmp)/\\w']);
    // Programs compiled by others name their machines.
    const own = files.filter((file) => !file.endsWith('.so'));
    expect(placesOf(machines, own)).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it('names only the public registry, so that every user can install from it', () => {
    const addresses = linesOf('package-lock.json').filter((line) => line.includes('"resolved": "http'));
    expect(addresses.filter((line) => !line.includes('"https://registry.npmjs.org/'))).toEqual([]);
  });
});

describe('.npmrc', () => {
  it('lets no installation run the scripts of packages', () => {
    expect(linesOf('.npmrc')).toContain('ignore-scripts=true');
  });

  it('comes with scripts that name all their steps: npm would pass over those before and after', () => {
    const manifests = files.filter((file) => path.posix.basename(file) === 'package.json');
    const passedOver = manifests.flatMap((file) => {
      const { scripts = {} } = JSON.parse(read(file)) as { readonly scripts?: Readonly<Record<string, string>> };
      return Object.keys(scripts).filter((name) => /^(pre|post)|^(prepare|install)$/.test(name));
    });
    expect(passedOver).toEqual([]);
  });
});

describe('README.md', () => {
  it('is read in three minutes', () => {
    expect(linesOf('README.md').length).toBeLessThanOrEqual(120);
  });

  const findIt = /^## Find it$([^]*?)(?=^\S.*\[CONTRIBUTING\])/m.exec(read('README.md'))?.[1] ?? '';

  it.each(['daily limit', 'after a crash', 'add a route', 'add a vault', 'alert means'])(
    'answers in “find it”, with a link: %s',
    (question) => {
      const rows = findIt.split('\n').filter((row) => row.includes(question));
      expect(rows.map((row) => /\]\(\S+\)/.test(row))).toEqual([true]);
    },
  );

  const links = [...findIt.matchAll(/\[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)/g)];

  it.each(links.map(([, text, file, heading]) => [text!, file!, heading] as const))(
    'links %s to a file that has it: %s',
    (text, file, heading) => {
      expect(existsSync(path.join(root, file))).toBe(true);
      const symbol = /^`(\w+)`$/.exec(text)?.[1];
      if (symbol) expect(read(file)).toMatch(new RegExp(`\\b${symbol}\\b`));
      if (heading) expect(headingsOf(file)).toContain(heading);
    },
  );
});

/** The anchors of a page's headings. */
function headingsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('links', () => {
  const documents = files.filter((file) => file.endsWith('.md'));
  it.each(documents)('of %s lead somewhere', (document) => {
    const targets = [...read(document).matchAll(/\]\(([^)#\s]*)(?:#([\w-]+))?\)/g)].filter(
      ([, target]) => !/^[a-z]+:/.test(target!),
    );
    const pageOf = (target: string) =>
      target === '' ? document : path.posix.join(path.posix.dirname(document), target);
    const missing = targets.filter(([, target, heading]) => {
      const page = pageOf(target!);
      return !existsSync(path.join(root, page)) || (heading !== undefined && !headingsOf(page).includes(heading));
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

describe('a schema', () => {
  const schemas = [...foldersIn('apps'), ...foldersIn('libs')]
    .map((project) => `${project}/db`)
    .filter((folder) => existsSync(path.join(root, folder)))
    // A library may have several, by name.
    .flatMap((folder) => (existsSync(path.join(root, folder, 'migrations')) ? [folder] : foldersIn(folder)));
  const sqlFiles = (folder: string) => files.filter((file) => path.posix.dirname(file) === folder);

  it.each(schemas)('in %s numbers its migrations and names each by what it does', (schema) => {
    const names = sqlFiles(`${schema}/migrations`).map((file) => path.posix.basename(file));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !/^\d{4,}(_[a-z0-9]+)+\.sql$/.test(name))).toEqual([]);
    const numbers = names.map((name) => name.slice(0, name.indexOf('_')));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('an advisory lock', () => {
  it('has a number that no other lock uses', () => {
    const places = sources
      .filter((file) => !/\.spec\.ts$|\/test\//.test(file))
      .flatMap((file) => (read(file).match(/\b7_?214_?\d{3}\b/g) ?? []).map((text) => text.replaceAll('_', '')));
    expect(places.length).toBeGreaterThan(8);
    expect(places.filter((number, index) => places.indexOf(number) !== index)).toEqual([]);
  });
});

describe('a decision record', () => {
  const records = readdirSync(path.join(root, 'docs', 'decisions')).sort();

  it('has a number of its own, in a row without gaps', () => {
    expect(records.map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])).toEqual(
      records.map((_, index) => String(index + 1).padStart(4, '0')),
    );
  });

  it.each(records)('%s fits a screen and says why', (name) => {
    const record = `docs/decisions/${name}`;
    expect(linesOf(record)[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)} \\S`));
    expect(linesOf(record).length).toBeLessThanOrEqual(60);
    const headings = linesOf(record).filter((line) => line.startsWith('## '));
    expect(headings).toEqual(['## Context', '## Decision', '## Consequences']);
  });
});

describe('an app', () => {
  it.each(foldersIn('apps'))('%s starts with a main.ts of a few lines', (app) => {
    expect(linesOf(`${app}/src/main.ts`).length).toBeLessThanOrEqual(12);
  });
});
