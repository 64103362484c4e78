/*
 * Fields of responses that feed no request, each with the reason. A new field that is neither here nor a field of a request
 * fails the test.
 */

/** By name and unit, although a request has a field of that name or unit. */
export const UNFED: Readonly<Record<string, string>> = {
  'action ApprovedAction': 'Filters of history take its own actions.',
  'action string': 'An action of a later version.',
  'after PolicyValue': 'A change of a policy that was made.',
  'after string': 'A change of a policy that was made.',
  'amount AmountText': 'For people; the field in base units beside it is exact.',
  'amountRaw SignedBaseUnits': 'A change of a balance, which has a sign.',
  'count Count': 'Records of a group.',
  'document Base64': 'Of an attestation.',
  'faucet string': 'An address of the sandbox.',
  'format string': 'Of a document; an export has formats of its own.',
  'limit Count': 'The page that was asked for.',
  'offset Count': 'The page that was asked for.',
  'scopes [enum]': 'Of an app; its token has them.',
  'scopes [string]': 'Parts of a sport.',
  'state string': 'Of a closed approval.',
  'status ListedOrderStatus': 'Of an order; filters take the status of a market.',
  'status OrderStatus': 'Of an order.',
  'transactionStatus FinalOrderState': 'Of an order.',
  'status TransactionState': 'Of a record of history.',
  'status enum': 'Of the response.',
  'status string': 'Of an operation.',
};

const SERVICE_SETS = 'A kind, a state or a rule that the service names.';
const A_FACT = 'A fact, no parameter.';

/** By unit: no request takes a value of it. */
export const UNFED_UNITS: Readonly<Record<string, string>> = {
  AmountText: 'For people; the field in base units beside it is exact.',
  AverageCents: 'An average is on no tick.',
  Base64: A_FACT,
  Bps: A_FACT,
  Bytes: A_FACT,
  Cents: 'A withdrawal takes dollars: `amountDollars`.',
  Count: A_FACT,
  Decimals: A_FACT,
  DollarAmount: 'Money that moved or is owed. A withdrawal takes whole cents, as `availableCents` counts them.',
  Factor: A_FACT,
  Hours: A_FACT,
  HttpStatus: A_FACT,
  Lamports: A_FACT,
  Percent: 'For people.',
  PercentNumber: A_FACT,
  Seconds: A_FACT,
  Sha256: A_FACT,
  Signature: 'History names operations by their ids.',
  Strike: A_FACT,
  Time: 'A fact: pages go by cursors.',
  Url: A_FACT,
  Usd: 'A value; limits of policies and tokens have fields of their own names.',
  boolean: A_FACT,
  enum: SERVICE_SETS,
  ...Object.fromEntries(
    [
      ...['ApprovalKind', 'CoseAlgorithm', 'ErrorCode', 'LiquidityVenue', 'PolicyRule', 'PolicyValue'],
      ...['PolicyWarningCode', 'Retry', 'SettlementResult', '[ApprovalReason]'],
    ].map((unit) => [unit, SERVICE_SETS]),
  ),
};

/** By name and unit: addresses and texts that no request takes. */
export const UNFED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'Addresses of others, or of the service.': [
    ...['account Address', 'ephemeralKey Address', 'freezeAuthority Address', 'mintAuthority Address'],
    ...['permanentDelegate Address', 'publicKey Address', 'transferHook Address'],
  ],
  'For people or programs to read.': [
    ...['before string', 'bound string', 'clientHost string', 'clientId string', 'clientName string'],
    ...['contractTermsUrl string', 'contractUrl string', 'displayName string', 'docs string', 'driver string'],
    ...['errorMessage string', 'feeType string', 'field string', 'frequency string'],
    ...[
      'isolation string',
      'key string',
      'keyId string',
      'kid string',
      'llms string',
      'marketType string',
      'message string',
    ],
    ...['network string', 'noSubTitle string', 'notificationMessage string', 'openapi string', 'ownerOpenapi string'],
    ...['reason string', 'receiver string', 'requestId string', 'resource string', 'result string'],
    ...['role string', 'rpId string', 'rulesPrimary string', 'rulesSecondary string', 'skill string'],
    ...['strikePeriod string', 'strikeType string', 'subTitle string', 'subtitle string', 'suggestion string'],
    ...['title string', 'transactionStatus string', 'url string', 'version string', 'x string', 'y string'],
    ...[
      'yesSubTitle string',
      'allowed [string]',
      'categories [string]',
      'didYouMean [string]',
      'reasons [string]',
      'route [string]',
    ],
    ...['sportOrdering [string]', 'supported [string]', 'tags [string]', 'unsafeExtensions [string]'],
  ],
  'An id of the exchange.': ['orderId string', 'sourceId string'],
  'A price of a pool, which trades name no limit for.': ['price string'],
  'A challenge, which is signed.': ['challenge string'],
  'The bearer token: a header.': ['sessionToken string'],
};
