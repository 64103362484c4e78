import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { errorEntry } from './catalogue.js';
import { publicError } from './public-error.js';

const SECRET = 'node 10.0.0.7: secret';

describe('the public form of an error', () => {
  it('keeps text, details and facts of a refusal, without what services say among themselves', () => {
    const details = [{ field: 'amount', reason: 'must be less', problem: 'out_of_range' }] as const;
    const data = { asset: 'SOL', missingLamports: '5', suggestion: 'Send SOL.', outcome: 'failed' } as const;
    const error = new AppError('INSUFFICIENT_FUNDS', { message: 'Send SOL.', details, data });
    const { code, message, details: shown, data: facts } = publicError(error);
    expect({ code, message, details: shown }).toEqual({
      code: 'INSUFFICIENT_FUNDS',
      message: 'Send SOL.',
      details,
    });
    expect(facts).toEqual({ asset: 'SOL', missingLamports: '5', suggestion: 'Send SOL.' });
  });

  it('of a 5xx has the words of the catalogue, and only what decides about the next try', () => {
    const data = { suggestion: SECRET, outcome: SECRET, reason: SECRET, retryAfterSeconds: 3, signature: 'sig' };
    const details = [{ field: SECRET, reason: SECRET, problem: 'required' }] as const;
    const shown = publicError(AppError.received('UPSTREAM_ERROR', { message: SECRET, data, details }));
    expect(shown).toMatchObject({ code: 'UPSTREAM_ERROR', message: errorEntry('UPSTREAM_ERROR').message, details: [] });
    expect(shown.data).toEqual({ retryAfterSeconds: 3, signature: 'sig' });
    const again = publicError(shown);
    expect([again.code, again.message, again.data]).toEqual([shown.code, shown.message, shown.data]);
  });

  it('keeps a known reason of unavailability, and drops an unknown one', () => {
    const known = publicError(new AppError('SERVICE_UNAVAILABLE', { message: SECRET, data: { reason: 'database' } }));
    expect(known).toMatchObject({ message: expect.stringContaining('database'), data: { reason: 'database' } });
    const unknown = publicError(AppError.received('SERVICE_UNAVAILABLE', { data: { reason: SECRET } }));
    expect([unknown.message, unknown.data]).toEqual([errorEntry('SERVICE_UNAVAILABLE').message, {}]);
  });

  it('of an internal code is an internal error', () => {
    const shown = publicError(new AppError('SIGNING_REFUSED', { message: SECRET, data: { reason: SECRET } }));
    const { message } = errorEntry('INTERNAL_ERROR');
    expect(shown).toMatchObject({ code: 'INTERNAL_ERROR', message, data: {} });
  });
});
