import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foreignToFunctions, foreignToTriggers, violationsOf } from './harness/migration-rules.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Migrations that break a rule and are accepted nevertheless, and why. */
const ACCEPTED_VIOLATIONS: ReadonlyMap<string, string> = new Map();

/** Each has a folder `migrations`; a library may have several, by name. */
const DIRECTORIES = ['apps', 'libs']
  .flatMap((where) => readdirSync(path.join(ROOT, where)).map((name) => path.join(ROOT, where, name, 'db')))
  .filter((directory) => existsSync(directory))
  .flatMap((directory) => {
    if (existsSync(path.join(directory, 'migrations'))) return [directory];
    return readdirSync(directory).map((name) => path.join(directory, name));
  });

/** The text of every file of a folder, by its project and its name. */
function filesOf(folder: 'migrations' | 'functions' | 'triggers'): ReadonlyMap<string, string> {
  const folders = DIRECTORIES.map((directory) => path.join(directory, folder)).filter((place) => existsSync(place));
  const files = folders.flatMap((place) => readdirSync(place).map((name) => path.join(place, name)));
  return new Map(files.map((file) => [nameOf(file), readFileSync(file, 'utf8')]));
}

/** `wallet/0001_baseline`, or `events/log/0001_baseline` where a project has several directories. */
function nameOf(file: string): string {
  const [, project, , ...places] = path.relative(ROOT, file).split(path.sep);
  return [project, ...places.slice(0, -2), path.basename(file, '.sql')].join('/');
}

describe('a migration', () => {
  const all = filesOf('migrations');

  it.each([...all])('%s is borne by the release before', (name, sql) => {
    if (!ACCEPTED_VIOLATIONS.has(name)) expect(violationsOf(sql)).toEqual([]);
    // An exception that is none is a mistake.
    else expect(violationsOf(sql)).not.toEqual([]);
  });

  it('is found in every directory, and no exception is for one that is gone', () => {
    expect(all.size).toBeGreaterThanOrEqual(DIRECTORIES.length);
    expect([...ACCEPTED_VIOLATIONS.keys()].filter((name) => !all.has(name))).toEqual([]);
  });
});

describe('a file of functions', () => {
  const all = filesOf('functions');

  it.each([...all])('%s changes nothing but functions', (_, sql) => {
    expect(foreignToFunctions(sql)).toEqual([]);
  });

  it('is found, and no other defines the same function', () => {
    const defined = [...all].flatMap(([name, sql]) =>
      [...sql.matchAll(/^create or replace function (\w+)\s*\(([^)]*)\)/gm)].map(
        ([, called, inputs]) => `${path.dirname(name)}.${called}(${inputs!.replaceAll(/\s+/g, ' ').trim()})`,
      ),
    );
    expect(defined.length).toBeGreaterThan(20);
    expect(defined.filter((signature, n) => defined.indexOf(signature) !== n)).toEqual([]);
  });

  it.each([
    'alter table policies add column a int',
    'create function f() returns int language sql as $$ select 1 $$',
    'create or replace trigger t before insert on policies for each row execute function f()',
    'update policies set a = 1',
    'do $$ begin drop table policies; end $$',
    'revoke select on policies from wallet',
    'drop function f()',
  ])('may not say %s', (sql) => {
    expect(foreignToFunctions(sql)).toHaveLength(1);
  });
});

describe('a file of triggers', () => {
  it.each([...filesOf('triggers')])('%s changes nothing but the triggers of its table', (name, sql) => {
    expect(foreignToTriggers(path.basename(name), sql)).toEqual([]);
  });

  it('is found', () => {
    expect([...filesOf('triggers').keys()]).toContain('prediction/journal_entries');
  });

  it.each([
    'create trigger t before insert on policies for each row execute function f()',
    'alter table journal_entries disable trigger t',
    'alter table policies enable always trigger t',
    'drop trigger t on journal_entries',
    'alter table journal_entries enable always trigger t, add column a int',
  ])('may not say %s', (sql) => {
    expect(foreignToTriggers('journal_entries', sql)).toHaveLength(1);
  });
});

describe('the rules of migrations', () => {
  it.each([
    'drop table policies',
    'DROP FUNCTION authorize(uuid);',
    'alter table policies drop column daily_limit',
    'alter table policies drop daily_limit',
    'alter table only policy.policies\n  rename column a to b',
    'alter type spending rename value a to b',
    'alter table policies alter column a type bigint',
    'alter table policies alter a set not null',
    'alter table policies add column a int, add column b text not null',
    'alter table policies add a text not null check (a > 0)',
    'alter table policies add column a uuid not null default gen_random_uuid()',
    'alter table policies add constraint c check (a > 0)',
    'alter table policies add unique (a)',
    'create index i on policies (a)',
    'create unique index i on policy.policies (a)',
    'create trigger t before insert on policies for each row execute function f()',
    'update policies set a = 1',
    'delete from policies',
    'truncate policies',
    'lock table policies in exclusive mode',
    'revoke select on policies from wallet',
    "select ';'; drop table policies",
  ])('refuse %s', (sql) => {
    expect(violationsOf(sql)).toHaveLength(1);
  });

  it.each([
    'create table t (a int not null); create index i on t (a); alter table t add constraint c check (a > 0); update t set a = 1',
    'alter table policies add column a int',
    'create index if not exists i on policies (a)',
    'create function f() returns int language sql as $$ select 1 $$; revoke all on function f() from public',
    'alter table policies add column a int not null default 0, add column b text',
    "alter table policies add column a text default 'x' not null",
    'alter table policies add constraint c check (a > 0) not valid',
    'alter table policies alter column a drop not null',
    'alter table policies alter column a set default 1, drop constraint c',
    'create or replace function f() returns void language plpgsql as $$ begin drop table policies; end $$',
    'create function f() returns void language sql as $body$ delete from policies; $body$',
    "insert into notes values ('drop table policies; it''s a text') -- drop table policies",
    '/* drop table policies; */ grant select on policies to wallet',
    "alter type spending add value 'self'",
  ])('allow %s', (sql) => {
    expect(violationsOf(sql)).toEqual([]);
  });
});
