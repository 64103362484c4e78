import { expect, it } from '@jest/globals';
import { keepClaim, keptClaim } from './kept-claim.js';

const CLAIM = { ownerId: 'ann', approvalId: 'a1', agentId: 'g1', isSigned: false };

function storage() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  };
}

it('a kept claim is read again until it is forgotten', () => {
  const kept = storage();
  expect(keptClaim(kept, 'ann')).toBeUndefined();
  keepClaim(kept, CLAIM);
  expect(keptClaim(kept, 'ann')).toEqual(CLAIM);
  keepClaim(kept, undefined);
  expect(keptClaim(kept, 'ann')).toBeUndefined();
});

it('another owner of the same tab does not get it, and a broken text is none', () => {
  const kept = storage();
  keepClaim(kept, CLAIM);
  expect(keptClaim(kept, 'bob')).toBeUndefined();
  kept.setItem('claim', '{');
  expect(keptClaim(kept, 'ann')).toBeUndefined();
});
