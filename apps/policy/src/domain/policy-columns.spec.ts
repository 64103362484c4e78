import { POLICY_FIELD_LIST } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';

const DB = new URL('../../db/', import.meta.url);
const sql = (file: string) => readFileSync(new URL(file, DB), 'utf8');
const migrations = readdirSync(new URL('migrations/', DB)).map((file) => sql(`migrations/${file}`));
const columns = POLICY_FIELD_LIST.map(({ key }) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

describe('policies', () => {
  it.each(columns)('have a column %s', (column) => {
    const [table] = /create table policies \(.*?\n\)/s.exec(migrations.join('\n'))!;
    const added = migrations.flatMap((text) => text.match(/alter table policies\b[^;]*/g) ?? []);
    expect([table, ...added].join('\n')).toMatch(new RegExp(`^  ${column} |add column ${column} `, 'm'));
  });

  it('change with their version, whichever field changes', () => {
    const [, listed] = /before update of (.*?)\s+on policies/s.exec(sql('triggers/policies.sql'))!;
    expect(listed!.split(/,\s+/).sort()).toEqual([...columns].sort());
  });
});
