import { AppError } from '@agent-wallet/kernel';

/**
 * Reason why a passkey's signature or registration is rejected:
 * - `message`: it is malformed or does not verify.
 * - `passkey`: unknown, or of another owner.
 * - `challenge`: not one of policy's, used or expired.
 * - `replay`: a login that was used or has expired, or a passkey that was removed meanwhile or whose counter did not
 * rise.
 * - `registered`: the credential exists.
 */
export type Rejection = 'message' | 'passkey' | 'challenge' | 'replay' | 'registered';

/** For the log and the metrics only. */
export class RejectedAssertion extends Error {
  constructor(
    readonly rejection: Rejection,
    cause: unknown,
  ) {
    super(`the assertion is rejected: ${rejection}`, { cause });
    this.name = 'RejectedAssertion';
  }
}

/** Returns ASSERTION_INVALID. @param message what is wrong, and what to do */
export function assertionInvalid(rejection: Rejection, message: string, cause: unknown = message): AppError {
  return new AppError('ASSERTION_INVALID', { message, cause: new RejectedAssertion(rejection, cause) });
}

/** Returns ASSERTION_INVALID for a challenge that cannot be signed any more. */
export function challengeInvalid(): AppError {
  return assertionInvalid('challenge', 'The challenge is unknown, used or expired. Request a new one and sign that.');
}
