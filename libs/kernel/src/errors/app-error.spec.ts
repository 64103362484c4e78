import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { errorEntry, isErrorCode } from './catalogue.js';

describe('an error of the catalogue', () => {
  it('says what its code says by default', () => {
    expect(new AppError('INTERNAL_ERROR')).toMatchObject({
      message: errorEntry('INTERNAL_ERROR').message,
      details: [],
      data: {},
    });
    const cause = new Error('connection refused');
    const data = { scope: 'agent', limit: 30 } as const;
    const error = new AppError('RATE_LIMIT_EXCEEDED', { message: 'No.', data, cause });
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', message: 'No.', data, cause });
    expect(error.with({ outcome: 'failed' })).toMatchObject({ message: 'No.', data: { ...data, outcome: 'failed' } });
  });

  it('names the field that is wrong', () => {
    expect(AppError.field('amount', 'must be greater than 0', 'out_of_range')).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'amount must be greater than 0.',
      details: [{ field: 'amount', reason: 'must be greater than 0', problem: 'out_of_range' }],
    });
  });

  it('ends a message once, with a full stop or the question that its reason ends with', () => {
    expect(AppError.field('mnt', 'is not a field. Did you mean mint?').message).toBe(
      'mnt is not a field. Did you mean mint?',
    );
    expect(AppError.field('cursor', 'is not valid. Omit it.').message).toBe('cursor is not valid. Omit it.');
  });

  it('names the first of several fields, and says how many more there are', () => {
    const details = ['to', 'amount', 'mint'].map((field) => ({
      field,
      reason: 'is required',
      problem: 'required' as const,
    }));
    expect(AppError.fields(details)).toMatchObject({ message: 'to is required. (and 2 more)', details });
  });
});

describe('the catalogue', () => {
  it('knows its codes and nothing that every object has', () => {
    expect(isErrorCode('POLICY_VIOLATION')).toBe(true);
    for (const other of ['', 'policy_violation', 'toString', '__proto__', 'constructor'])
      expect(isErrorCode(other)).toBe(false);
  });

  it('answers a refusal by policy with PERMISSION_DENIED and 403', () => {
    expect(errorEntry('POLICY_VIOLATION')).toMatchObject({ grpc: 7, http: 403, retryable: false });
  });
});
