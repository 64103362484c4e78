import { expect, it } from '@jest/globals';
import { TEXTS } from '../texts.js';
import { Failure } from '../api/failure.js';
import { labelled, wordsOf } from './words-of.js';

it('calls a limit what the form calls it, and leaves other words', () => {
  expect(labelled('maxSingleTransactionInUsd exceeds dailyLimitInUsd. See constructor and fooBar.')).toBe(
    '“Most for one transaction” exceeds “Most in 24 hours”. See constructor and fooBar.',
  );
});

it('names what was entered, and not the field of the request', () => {
  const failure = new Failure('email has no passkey. Let that person log in as an owner and add one first.', {
    ...{ statusCode: 400, code: 'VALIDATION_ERROR' },
  });
  expect(wordsOf(failure).message).toBe(
    'This e-mail address has no passkey. Let that person log in as an owner and add one first.',
  );
});

it('names no field of the API in a failure or a warning', () => {
  const facts = { statusCode: 400, code: 'VALIDATION_ERROR', suggestion: 'Lower approveAboveInUsd.' };
  expect(wordsOf(new Failure('dailyLimitInUsd is too high', facts))).toEqual({
    message: '“Most in 24 hours” is too high',
    hint: 'Lower “Ask me above”.',
    isLoggedOut: false,
  });
  const names = new RegExp(Object.keys(TEXTS.limits.fields).join('|'));
  expect(Object.values(TEXTS.limits.warningTexts).filter((text) => names.test(text))).toEqual([]);
});
