import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROUTES } from '../src/api/routes.js';
import { policyChanges } from '../src/api/schemas/policy-fields.js';

const DOCS = path.join(import.meta.dirname, '..', '..', '..', 'docs');
const read = (page: string) => readFileSync(path.join(DOCS, page), 'utf8');
const routeOf = (name: string) => ROUTES.find(({ method, path: of }) => `${method} ${of}` === name);

/** A call of the walk-through's function `owner`: path, query, and a body in single or double quotes. */
const CALL = /\bowner '?([a-z/]+)(?:\?([a-z=&]+))?'?(?: -d (?:'([^']*)'|"((?:\\.|[^"\\])*)"))?(?=$| \|)/gm;

/** The body of a call, with values in the place of the shell's variables. */
function bodyOf(single: string | undefined, double: string | undefined): unknown {
  const escaped = double?.replaceAll('\\"', '"').replace(/\$\(code [^)]*\)/g, '123456');
  const text = single ?? escaped?.replaceAll('$OTP', newId());
  return text === undefined ? undefined : JSON.parse(text);
}

it.each(['owners.md', 'security.md', 'operating.md'])('the routes that docs/%s names exist', (page) => {
  const named = [...read(page).matchAll(/`((?:GET|POST|PATCH|DELETE) \/[^\s`?]*)[^`]*`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => routeOf(name) === undefined)).toEqual([]);
});

it('the table of what loosens in docs/owners.md has each field of a policy once', () => {
  const [, table] = /\n\| Field .*\n\|[- |]*\n((?:\|.*\n)+)/.exec(read('owners.md'))!;
  const fields = table!.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
  expect(fields.map(([, field]) => field).sort()).toEqual(Object.keys(policyChanges.shape).sort());
});

describe('the walk-through of docs/owners.md', () => {
  const code = [...read('owners.md').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block).join('');
  const calls = [...code.matchAll(CALL)];

  it('makes seven calls', () => {
    expect(calls.map(([, name]) => name)).toHaveLength(7);
    expect(code.match(/\bowner\b(?!\()/g)).toHaveLength(8);
  });

  it.each(calls.map(([call, ...parts]) => [call, ...parts] as const))(
    '%s fits its route',
    (_, name, query, ...body) => {
      const sent = bodyOf(body[0], body[1]);
      const route = routeOf(`${sent === undefined ? 'GET' : 'POST'} /owner/${name}`);
      expect(route).toBeDefined();
      const asked = Object.fromEntries(new URLSearchParams(query));
      expect(route!.query?.safeParse(asked).error).toBeUndefined();
      expect(route!.body?.safeParse(sent).error).toBeUndefined();
    },
  );
});
