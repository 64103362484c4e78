import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { violationsOf } from './harness/migration-rules.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Migrations of before the first release: nothing older ran beside them. Nothing is added here. */
const BEFORE_THE_FIRST_RELEASE: ReadonlySet<string> = new Set([
  'history/20261125080000_chain_the_events',
  'history/20261128080000_chains_end_with_their_last_event',
  'policy/20261122090000_sponsor_and_freeze',
  'policy/20261122090100_decide_with_sponsors_and_freezes',
  'policy/20261123090000_decide_on_trades',
  'policy/20261124090000_decide_on_escrows_and_payouts',
  'policy/20261124090100_authorize_escrows_and_payouts',
  'policy/20261125090000_tell_reservations',
  'signer/20261128081000_seal_data_keys_severally',
  'wallet/20261121151500_find_deposits_on_chain',
  'wallet/20261123090000_sign_with_others',
]);

/** Migrations that break a rule and are borne all the same, and why. */
const BORNE_ALL_THE_SAME: ReadonlyMap<string, string> = new Map([
  [
    'prediction/20261130090000_carry_the_operators_accounts_last',
    'old code reads the accounts that the trigger writes in other transactions only, where nothing is different',
  ],
]);

const EXCEPTIONS: ReadonlySet<string> = new Set([...BEFORE_THE_FIRST_RELEASE, ...BORNE_ALL_THE_SAME.keys()]);

/** Every migration, by the name of its part and its own. */
function migrations(): ReadonlyMap<string, string> {
  const parts = ['apps', 'libs'].flatMap((where) =>
    readdirSync(path.join(ROOT, where)).map((name) => path.join(where, name)),
  );
  const folders = parts.flatMap((part) => [path.join(part, 'prisma'), path.join(part, 'migrations')]);
  const files = folders.filter((folder) => existsSync(path.join(ROOT, folder))).flatMap(filesIn);
  return new Map(files.map((file) => [nameOf(file), readFileSync(path.join(ROOT, file), 'utf8')]));
}

function filesIn(folder: string): string[] {
  const found = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return found.filter((name) => name.endsWith('migration.sql')).map((name) => path.join(folder, name));
}

const nameOf = (file: string): string => `${file.split(path.sep)[1]}/${path.basename(path.dirname(file))}`;

describe('a migration', () => {
  const all = migrations();

  it.each([...all])('%s is borne by the release before', (name, sql) => {
    if (!EXCEPTIONS.has(name)) expect(violationsOf(sql)).toEqual([]);
    // An exception that is none is a mistake.
    else expect(violationsOf(sql)).not.toEqual([]);
  });

  it('is found wherever one lies, and no exception is for one that is gone', () => {
    expect(all.size).toBeGreaterThan(25);
    expect([...EXCEPTIONS].filter((name) => !all.has(name))).toEqual([]);
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
    "alter type spending add value 'own'",
  ])('allow %s', (sql) => {
    expect(violationsOf(sql)).toEqual([]);
  });
});
