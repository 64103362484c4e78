import { expect, it } from '@jest/globals';
import { viewOf } from './recovery-view.js';

it('a recovery is an alarm to its owner alone, and only where a passkey still works', () => {
  expect(viewOf(true, 'passkey')).toBe('has_passkey');
  expect(viewOf(true, 'mail')).toBe('lost_passkey');
  expect(viewOf(false, 'passkey')).toBe('other_owner');
});
