import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { errorEntry, isErrorCode } from './catalogue.js';

describe('an error of the catalogue', () => {
  it('says what its code says unless it is told more', () => {
    expect(new AppError('NOT_FOUND')).toMatchObject({
      message: errorEntry('NOT_FOUND').message,
      details: [],
      data: {},
    });
    const cause = new Error('connection refused');
    const error = new AppError('UPSTREAM_ERROR', { message: 'No.', data: { a: 'b' }, cause });
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', message: 'No.', data: { a: 'b' }, cause });
  });

  it('names the field that is wrong', () => {
    expect(AppError.field('amount', 'must be greater than 0')).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'amount must be greater than 0',
      details: [{ field: 'amount', reason: 'must be greater than 0' }],
    });
    expect(AppError.field('to', 'is a mint', 'INVALID_ADDRESS').code).toBe('INVALID_ADDRESS');
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
