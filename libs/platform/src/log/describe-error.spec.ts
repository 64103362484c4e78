import { describe, expect, it } from '@jest/globals';
import { describeError } from './describe-error.js';

describe('an error in the log', () => {
  it('is described by its class, words, code and causes', () => {
    const cause = Object.assign(new TypeError('inner'), { code: '23505', constraint: 'agents_email_key' });
    expect(describeError(new Error('outer', { cause }))).toMatchObject({
      type: 'Error',
      message: 'outer',
      cause: { type: 'TypeError', message: 'inner', code: '23505', constraint: 'agents_email_key' },
    });
  });

  it('is described without what drivers add: rows, parameters, recipients', () => {
    const details = { detail: 'Key (email)=(hush) already exists.', parameters: ['hush'], rejected: ['hush'] };
    const error = Object.assign(new Error('refused'), details);
    expect(JSON.stringify(describeError(new Error('outer', { cause: error })))).not.toContain('hush');
  });

  it('ends, also where errors cause each other', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(JSON.stringify(describeError(one)).length).toBeLessThan(20_000);
  });
});
