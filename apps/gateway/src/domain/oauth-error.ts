/** Codes of OAuth errors (RFC 6749, RFC 8707). */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'access_denied'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type';

/** A refusal in the form of OAuth: its code for programs, and a sentence for the developer of the app. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'OAuthError';
  }
}
