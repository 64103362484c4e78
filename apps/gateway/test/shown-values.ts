import { HISTORY_ACTIONS } from '@agent-wallet/events';
import { NAMED_TOKENS } from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import { RECIPIENT, TICKER, USDC } from '../src/api/schemas/examples.js';

/*
 * Which fields of responses feed which fields of requests. A field of a response is named by its name and its unit in
 * openapi.json: `mint Address`. A field of a request is named by its operation: `transfer.mint`. Without an entry here, a
 * field feeds every request that has a field of the same name.
 */

const MINTS = ['transfer.mint', 'trade.from', 'trade.to', 'addLiquidity.token', 'getToken.query'];
const POOL_FILTERS = ['getLiquidityPools.mint', 'getLiquidityPools.mint2'];
const OF_A_TOKEN = [...MINTS, ...POOL_FILTERS, 'updatePolicy.allowedTokens', 'updateOwnedPolicy.unpricedTokens'];
const OF_A_WALLET = [
  ...['transfer.to', 'updatePolicy.allowedRecipients', 'openToken.recipients', 'forgetRecipient.address'],
];
const OF_A_POOL = ['addLiquidity.pool', 'getLiquidityPool.pool', 'removeLiquidity.positionId'];
const OF_A_MARKET = [
  ...['buyContracts.ticker', 'sellContracts.ticker', 'getMarket.ticker', 'getOrderbook.ticker', 'listOrders.ticker'],
  'updatePolicy.allowedMarkets',
];
const OF_AN_EVENT = ['getEvent.event_ticker', 'listMarkets.event_ticker', 'updatePolicy.allowedMarkets'];
const CURSORS = [
  ...['listTransactions', 'getLiquidityPools', 'listMarkets', 'listEvents', 'listSeries', 'listMilestones'],
  ...['listStructuredTargets', 'listOrders', 'listApprovals', 'listOwnerApprovals', 'listOwnedTransactions'],
].map((operation) => `${operation}.cursor`);

/** The requests that every field of a unit feeds. */
export const FED_BY_UNIT: Readonly<Record<string, readonly string[]>> = {
  BaseUnits: [
    ...['transfer.amountRaw', 'trade.amountRaw', 'unwrapSol.amountRaw', 'addLiquidity.amountRaw'],
    ...['addLiquidity.maxOtherAmountRaw', 'removeLiquidity.liquidityRaw'],
  ],
  TokenAmount: [
    ...['transfer.amount', 'trade.amount', 'unwrapSol.amount', 'addLiquidity.amount', 'addLiquidity.maxOtherAmount'],
  ],
  DollarPrice: ['buyContracts.maxPriceDollars', 'sellContracts.minPriceDollars'],
  PriceCents: ['buyContracts.maxPriceCents', 'sellContracts.minPriceCents'],
  // A buy takes whole contracts, as the exchange does; what it leaves of one can be sold.
  Contracts: ['sellContracts.count'],
  TransactionId: ['getTransaction.transactionId', 'getOwnedTransaction.transactionId'],
};

/** The requests that one field feeds, in place of those with a field of its name. */
export const FED: Readonly<Record<string, readonly string[]>> = {
  'address Address': OF_A_WALLET,
  'allowedRecipients [Address]': ['updatePolicy.allowedRecipients', 'updateOwnedPolicy.allowedRecipients'],
  'asset string': MINTS,
  'chainAddress Address': OF_A_WALLET,
  'cursor string': CURSORS,
  'email string': ['startLogin.email', 'startClaim.agentEmail', 'startOwnerLogin.email', 'addAgentOwner.email'],
  'eventId Uuid': ['getHistoryProof.after'],
  'eventTicker string': OF_AN_EVENT,
  'from Address': OF_A_WALLET,
  'from Time': ['getSpending.from', 'listTransactions.from', 'listOwnedTransactions.from'],
  'from string': MINTS,
  'id string': ['getMilestone.milestone_id', 'getStructuredTarget.structuredTargetId', 'removePasskey.passkeyId'],
  'id Uuid': [
    ...['getApproval.approvalId', 'endSessionById.sessionId', 'endToken.tokenId', 'getConnection.connectionId'],
    ...['removeAgentOwner.ownerId', 'getOwnedAgent.agentId'],
  ],
  'inputMint Address': OF_A_TOKEN,
  'lastEventId Uuid': ['getHistoryProof.after', 'getOwnedHistoryProof.after'],
  'lpMint Address': OF_A_TOKEN,
  'mint Address': OF_A_TOKEN,
  'mint string': OF_A_TOKEN,
  'name string': ['openToken.name'],
  'nextCursor string': CURSORS,
  'note string': ['proposePolicyChange.note'],
  'outputMint Address': OF_A_TOKEN,
  'pool Address': OF_A_POOL,
  'positionId string': OF_A_POOL,
  'primaryEventTickers [string]': ['updatePolicy.allowedMarkets'],
  'recipient Address': OF_A_WALLET,
  'relatedEventTickers [string]': ['updatePolicy.allowedMarkets'],
  'seriesTicker string': ['getSeries.series_ticker', 'listMarkets.series_ticker', 'updatePolicy.allowedMarkets'],
  'solanaAddress Address': OF_A_WALLET,
  'status MarketStatus': ['listMarkets.status'],
  'symbol string': [...MINTS, ...POOL_FILTERS],
  'ticker string': OF_A_MARKET,
  'to Address': OF_A_WALLET,
  'to Time': ['getSpending.to', 'listTransactions.to', 'listOwnedTransactions.to'],
  'to string': MINTS,
  'transactionId Uuid': ['getTransaction.transactionId'],
};

/** Mints of every length, the native coin's among them. */
const ADDRESSES = ['1'.repeat(32), RECIPIENT, USDC, 'So11111111111111111111111111111111111111112'];
/** A token without a name here is shown by its mint. */
const SYMBOLS = [...NAMED_TOKENS.map(({ symbol }) => symbol), 'wSOL', RECIPIENT];
const TICKERS = [TICKER, 'KXFED', 'K'.repeat(100)];
const U64 = '18446744073709551615';
const UUIDS = ['01938f6e-5b7a-7cc3-98c4-dc0c0c07398f', '6d1f8a52-9a4f-4d0e-8f43-0f5f3c1e2a11'];
const TIMES = ['1970-01-01T00:00:00.000Z', '2026-11-21T10:02:00.001Z', '9999-12-31T23:59:59.999Z'];
const EMAILS = ['agent@example.com', "o'neil+a=b@mail.example.xn--p1ai"];
/** Numbers with all their digits. */
const exact = (...texts: readonly string[]) => texts.map((text) => new LosslessNumber(text));

/**
 * Values that responses show, to their extremes, by field or by unit. An amount of 0 moves nothing, and a price of 0 or 1 is
 * of a settled market: requests refuse these.
 */
export const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  Address: ADDRESSES,
  '[Address]': [[], ADDRESSES],
  BaseUnits: ['1', '9999999999999999999', '10000000000000000000', U64],
  Contracts: [0.01, 0.5, 1_000_000_000],
  DollarPrice: ['0.000001', '0.62', '0.995', '0.999999'],
  PriceCents: [1, 99],
  TokenAmount: exact('0.000000001', '1e-18', '1e-30', '18446744073.709551615', U64),
  TransactionId: UUIDS,
  Usd: [0.000001, 1_000_000_000],
  Uuid: UUIDS,
  boolean: [true, false],
  // Of records of history; an order's is `buy` or `sell`.
  'action enum': HISTORY_ACTIONS,
  'allowedMarkets [string]': [[], TICKERS],
  'amountDollars DollarAmount': [0.01, 1_000_000_000],
  'approvalLifetimeHours Hours': [1, 168],
  'asset string': SYMBOLS,
  'category string': ['Economics', 'Science and Technology', 'x'.repeat(100)],
  'cursor string': ['', 'eyJhZnRlciI6MX0', 'x'.repeat(1_000)],
  'document string': [JSON.stringify({ kind: 'login', at: '2026-11-21T10:02:00.000Z' })],
  'email string': EMAILS,
  'eventTicker string': TICKERS,
  'from Time': TIMES,
  'from string': SYMBOLS,
  'id string': UUIDS,
  'maxTradeLossPercent PercentNumber': [0.01, 12.5, 100],
  'memo string': ['', 'Thanks 🙏\n付', 'ü'.repeat(128)],
  'mint string': ADDRESSES,
  'name string': ['Trading bot', 'ü'.repeat(64)],
  'newRecipientCoolDownHours Hours': [0, 168],
  'nextCursor string': ['eyJhZnRlciI6MX0', 'x'.repeat(1_000)],
  'note string': ['Rent is due.', 'ü'.repeat(256)],
  'passkeyId string': ['AAECAwQFBgcICQoLDA0ODw'],
  'positionId string': ADDRESSES,
  'primaryEventTickers [string]': [TICKERS],
  'recipients [Address]': [ADDRESSES],
  'relatedEventTickers [string]': [TICKERS],
  'scopes [TokenScope]': [['read', 'transfer', 'trade', 'liquidity', 'predict', 'propose']],
  'seriesTicker string': TICKERS,
  'sessionExpirationHours Hours': [1, 8_760],
  // A trade takes more, liquidity does not.
  'slippageBps Bps': [1, 50, 1_000],
  'symbol string': SYMBOLS,
  'ticker string': TICKERS,
  'to Time': TIMES,
  'to string': SYMBOLS,
  'type string': ['football_team', 'x'.repeat(100)],
};

/** Fields whose null means in a request what it means in a response. All others are left out where nothing is known. */
export const SAME_NULL: readonly string[] = [
  ...['allowedMarkets [string]', 'allowedTokens [Address]', 'approveAboveInUsd Usd', 'dailyLimitInUsd Usd'],
  ...['maxSingleInUsd Usd', 'maxTradeLossPercent PercentNumber', 'recipients [Address]', 'totalLimitInUsd Usd'],
  'mint Address',
];

/** Requests that take no null for what a response shows as null, each with the reason. */
export const NO_NULL: Readonly<Record<string, string>> = {
  'trade.from': 'Two required tokens: a lookup that found nothing must not trade SOL. `symbol` says SOL.',
  'trade.to': 'As `trade.from`.',
  'addLiquidity.token': 'As `trade.from`.',
  'getToken.query': 'A path has no null.',
  'getLiquidityPools.mint': 'A query has no null.',
  'getLiquidityPools.mint2': 'A query has no null.',
  'updatePolicy.allowedTokens': 'A list of mints names SOL by its wrapped mint, as it shows it.',
  'updateOwnedPolicy.unpricedTokens': 'As `updatePolicy.allowedTokens`.',
  'updatePolicy.dailyLimitInUsd': 'Every policy has a daily limit; null is of tokens.',
  'updateOwnedPolicy.dailyLimitInUsd': 'As `updatePolicy.dailyLimitInUsd`.',
};
