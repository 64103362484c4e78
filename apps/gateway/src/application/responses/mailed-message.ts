import type { StartedLogin } from '../connect/start-login.js';

const MESSAGES: Readonly<Record<StartedLogin['mailed'], string>> = {
  now: 'A code was mailed.',
  later: 'The code is mailed when the mail server accepts it.',
  long_before: 'Use the code of 12 digits that was mailed last. No further one is mailed now.',
  before: 'Use the code that was mailed last. No further one is mailed now.',
};

/** Returns the message of a response about a mailed code. */
export function mailedMessage({ mailed }: Pick<StartedLogin, 'mailed'>): string {
  return MESSAGES[mailed];
}
