/** Facts and text of POLICY_VIOLATION for an agent without prediction markets. Policy and prediction both refuse it. */
export const PREDICTION_MARKETS_DISABLED = {
  rule: 'prediction_markets_disabled',
  message: 'Prediction markets are switched off by the policy.',
  suggestion: 'Ask the owner to switch on allowPredictionMarkets.',
} as const;
