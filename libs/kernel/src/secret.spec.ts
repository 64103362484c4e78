import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Secret } from './secret.js';

describe('a secret', () => {
  const secret = new Secret('hunter2');

  it('is revealed to those who ask', () => {
    expect(secret.reveal()).toBe('hunter2');
  });

  it.each([
    ['a template', `${secret}`],
    ['a sum', `${'' + String(secret)}`],
    ['JSON', JSON.stringify({ secret })],
    ['a log line', format('%s %o %O %j', secret, secret, secret, secret)],
    ['an inspection', inspect({ secret }, { depth: 10, showHidden: true })],
    ['the cause of an error', inspect(new Error('x', { cause: secret }))],
    ['its properties', JSON.stringify([Object.keys(secret), Object.values(secret), { ...secret }])],
  ])('does not print in %s', (_, text) => {
    expect(text).not.toContain('hunter2');
  });
});
