import { POLICY_FIELD_LIST } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

const sql = (file: string) => readFileSync(new URL(`../../db/${file}`, import.meta.url), 'utf8');
const columns = POLICY_FIELD_LIST.map(({ key }) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

describe('policies', () => {
  it.each(columns)('have a column %s', (column) => {
    const [table] = /create table policies \(.*?\n\)/s.exec(sql('migrations/0001_baseline.sql'))!;
    expect(table).toMatch(new RegExp(`^  ${column} `, 'm'));
  });

  it('change with their version, whichever field changes', () => {
    const [, listed] = /before update of (.*?)\s+on policies/s.exec(sql('triggers/policies.sql'))!;
    expect(listed!.split(/,\s+/).sort()).toEqual([...columns].sort());
  });
});
