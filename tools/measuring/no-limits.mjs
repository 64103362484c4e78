// The settings of a deployment whose tools send more requests than people do.

/** Environment variables: nothing is slowed down or refused because of how often it is asked for, or how little. */
export const NO_LIMITS = {
  RATE_LIMIT_IP_PER_MINUTE: '1000000',
  RATE_LIMIT_AGENT_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_ADDRESSES_PER_HOUR: '1000000',
  RATE_LIMIT_OTP_MAILS_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_WRONG_PER_HOUR: '1000000',
  RATE_LIMIT_OTP_WRONG_PER_MAILBOX_DAY: '1000000',
  MAX_CONNECTIONS_PER_NETWORK: '10000',
  JUPITER_REQUESTS_PER_MINUTE: '1000000',
  MAX_TREASURY_MOVES_PER_AGENT_DAY: '1000000',
  PREDICTION_MIN_WITHDRAWAL_CENTS: '1',
};
