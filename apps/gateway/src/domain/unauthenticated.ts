import { AppError, type AuthenticationReason } from '@agent-wallet/kernel';

const MESSAGES: Readonly<Record<AuthenticationReason, string>> = {
  missing: 'The Authorization header is missing. Send `Authorization: Bearer <token>`; to get a token, log in.',
  malformed: 'The Authorization header is not `Bearer <token>`. Send it once, in that form.',
  invalid: 'The bearer token is not valid. Log in again.',
  expired: 'The bearer token has expired. Log in again.',
  revoked: 'The session of the bearer token has ended. Log in again.',
  wrong_code: 'The code is wrong, used or expired. Check it, or request a new one.',
  wrong_origin: 'The Origin header must be the origin of the owner console. Send this request from there.',
  passkey_required: 'A passkey is required. Log in with it, or register the first one.',
  login_too_old: 'The login of this session is too old for that. Log in again.',
};

const OF_OWNERS: Readonly<Partial<Record<AuthenticationReason, string>>> = {
  missing: 'The cookie of an owner’s session is missing. Log in as an owner.',
  login_too_old: 'The login by mail is older than ten minutes. Log in again.',
  expired: 'The owner’s session has ended. Log in again.',
};

/** Returns AUTHENTICATION_ERROR, with the reason. */
export function unauthenticated(reason: AuthenticationReason, message = MESSAGES[reason]): AppError {
  return new AppError('AUTHENTICATION_ERROR', { message, data: { reason } });
}

/** Returns AUTHENTICATION_ERROR for a request of an owner, who has no bearer token. */
export function ownerUnauthenticated(reason: AuthenticationReason): AppError {
  return new AppError('AUTHENTICATION_ERROR', { message: OF_OWNERS[reason] ?? MESSAGES[reason], data: { reason } });
}
