import { expect, it } from '@jest/globals';
import { firstForm, type GrantForm, problemsOf, tokenName, tokenRequest } from './grant-form.js';

const form = (more: Partial<GrantForm> = {}): GrantForm => ({ ...firstForm(['a'], ['read', 'transfer']), ...more });

it('begins with the only agent, with reading alone, and with limits for 30 days', () => {
  expect(firstForm(['a'], ['transfer', 'read', 'propose'])).toEqual({
    ...{ agentId: 'a', scopes: ['read'], days: 30 },
    ...{ single: '10', daily: '50', total: '200' },
  });
});

it('chooses none of several agents, and no scope that the app has not asked for', () => {
  expect(firstForm(['a', 'b'], ['transfer'])).toMatchObject({ agentId: '', scopes: [] });
  expect([...problemsOf(firstForm(['a', 'b'], ['transfer']))]).toEqual(['agentId', 'scopes']);
});

it('accepts an amount above 0 or an empty limit, and nothing else', () => {
  expect([...problemsOf(form({ single: '', daily: ' 2.50 ', total: '999999999' }))]).toEqual([]);
  for (const single of ['0', '-1', '1e3', '$5', '1,000', '1.1234567', '1000000000', 'x']) {
    expect([single, ...problemsOf(form({ single }))]).toEqual([single, 'single']);
  }
});

it('requests the chosen scopes and limits; an empty limit is null', () => {
  expect(tokenRequest('A host', form({ scopes: ['read', 'transfer'], daily: ' ', days: 7 }))).toEqual({
    ...{ name: 'A host', scopes: ['read', 'transfer'], expiresInHours: 168 },
    ...{ maxSingleInUsd: 10, dailyLimitInUsd: null, totalLimitInUsd: 200 },
  });
});

it('cuts a name to 64 units between characters, without control characters', () => {
  expect(tokenName('x'.repeat(100))).toBe('x'.repeat(64));
  expect(tokenName(`${'x'.repeat(63)}😀`)).toBe('x'.repeat(63));
  expect(tokenName(' A\u0000 host\n')).toBe('A host');
  expect(tokenName('\u0001')).toBe('App');
});
