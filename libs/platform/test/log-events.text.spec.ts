import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LOG_EVENTS } from '../src/index.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** The rows of docs/logs.md: event and level. */
function documented(): [string, string][] {
  const page = readFileSync(path.join(root, 'docs/logs.md'), 'utf8');
  return [...page.matchAll(/^\| `([a-z0-9_]+\.[a-z0-9_]+)` +\| (\w+) +\| (?=\S).+\|$/gm)].map(
    ([, event = '', level = '']) => [event, level],
  );
}

/** The hand-written sources of services and libraries, without the catalogue. */
function sources(): string {
  const folders = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(path.join(root, kind)).map((name) => path.join(root, kind, name, 'src')),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  );
  return files
    .filter((file) => /(?<!\.spec)\.ts$/.test(file) && !/generated|log-events\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

describe('the catalogue of log events', () => {
  it('is the table of docs/logs.md, with each event once and at its level', () => {
    expect(documented().sort()).toEqual(Object.entries(LOG_EVENTS).sort());
  });

  it('names each event as noun and past participle in snake case, in alphabetical order', () => {
    const names = Object.keys(LOG_EVENTS);
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*\.([a-z]+_)*[a-z]+$/.test(name))).toEqual([]);
    expect(names.filter((name) => !/(ed|found|lost|missing|rolled_back|unknown|over)$/.test(name))).toEqual([]);
    expect(names).toEqual([...names].sort());
  });

  it('contains nothing that no source logs', () => {
    const text = sources();
    expect(Object.keys(LOG_EVENTS).filter((name) => !text.includes(`event: '${name}'`))).toEqual([]);
  });
});
