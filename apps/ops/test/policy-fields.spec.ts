import { isKnownField } from '@agent-wallet/audit';
import { POLICY_FIELD_LIST } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

const OWNERS_PAGE = readFileSync(new URL('../../../docs/owners.md', import.meta.url), 'utf8');

describe.each(POLICY_FIELD_LIST.map(({ name }) => name))('the field %s of a policy', (name) => {
  it('is known to the offline verifier, whose table is its own', () => {
    expect(isKnownField(name)).toBe(true);
  });

  it('stands in the page for owners', () => {
    expect(OWNERS_PAGE).toContain(`\`${name}\``);
  });
});
