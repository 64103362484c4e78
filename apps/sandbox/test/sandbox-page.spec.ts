import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULTS, MALICIOUS_KINDS } from '../src/faults/fault-board.js';
import { World } from './world.js';

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'sandbox.md'), 'utf8');

const shell = [...PAGE.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block!).join('\n');
const posts = [...shell.matchAll(/^post (\S+) '(.*)'$/gm)].map(([, route, body]) => [route!, body!] as const);
const reads = [...shell.matchAll(/^curl -s "\$SANDBOX([^"]+)"$/gm)].map(([, route]) => route!);

let world: World;

beforeAll(async () => {
  world = await World.start();
});

afterAll(() => world.stop());

describe('docs/sandbox.md', () => {
  it('has examples for every part of the admin API', () => {
    expect(posts.length).toBeGreaterThan(12);
    expect(reads.length).toBeGreaterThan(2);
  });

  it.each(posts)('shows a command that the admin API accepts: %s %s', async (route, body) => {
    const { status, body: reply } = await world.admin('POST', route, JSON.parse(body));
    expect([status, reply]).toEqual([200, expect.anything()]);
  });

  it.each(reads)('shows a read that the admin API serves: %s', async (route) => {
    expect((await world.admin('GET', route)).status).toBe(200);
  });

  it('lists every fault of every part, and nothing else', () => {
    const table = PAGE.slice(PAGE.indexOf('| Part       | Fault'));
    const listed = [...table.matchAll(/^\| (\w*) +\| ([^|]+) \|/gm)].slice(1);
    const faults = new Map<string, string[]>();
    let part = '';
    for (const [, name, cell] of listed) {
      part = name || part;
      const names = [...cell!.matchAll(/`(\w+)`/g)].map(([, fault]) => fault!);
      faults.set(part, [...(faults.get(part) ?? []), ...names]);
    }
    const sorted = (entries: Iterable<readonly [string, readonly string[]]>) =>
      Object.fromEntries([...entries].map(([key, names]) => [key, names.toSorted()]));
    expect(sorted(faults)).toEqual(sorted(Object.entries(FAULTS)));
    expect(MALICIOUS_KINDS.filter((kind) => !PAGE.includes(`\`${kind}\``))).toEqual([]);
  });
});
