// The walk-through of README as calls of tools. `$name` stands for what was given, or kept of an earlier result.

/**
 * A call of a tool, and what its result must hold, in part.
 * @typedef {object} Call
 * @property {string} tool
 * @property {Record<string, unknown>} [arguments]
 * @property {Record<string, unknown>} expect
 * @property {Record<string, string>} [keep] names of values, and where the result has them: `markets.0.ticker`
 * @property {boolean} [isLate] whether the result may follow a moment later
 */

const SOL = 'So11111111111111111111111111111111111111112';

/** Funds of each agent at its start. */
export const FUNDS = { SOL: 1, USDC: 250 };

/** Base units that leave the wallet, apart from the cost of contracts. */
export const SENT = 12_500_000n;
export const TRADED = 25_000_000n;

const READ_BALANCES = {
  name: 'read the balances',
  calls: [
    {
      tool: 'get_balances',
      expect: { sol: { amountRaw: '1000000000' }, tokens: [{ symbol: 'USDC', amountRaw: '250000000' }] },
    },
  ],
};

const SEND = {
  name: 'send 12.5 USDC, once for two calls of execute',
  calls: [
    {
      tool: 'prepare_transfer',
      arguments: { to: '$to', amount: '12.5', mint: 'USDC' },
      expect: { decision: 'allowed', preview: { status: 'dry_run', amountRaw: String(SENT), recipient: '$to' } },
      keep: { handle: 'handle' },
    },
    {
      tool: 'execute',
      arguments: { handle: '$handle' },
      expect: { status: 'confirmed', amountSentRaw: String(SENT), recipient: '$to' },
      keep: { transfer: 'transactionId', signature: 'signature' },
    },
    {
      tool: 'execute',
      arguments: { handle: '$handle' },
      expect: { status: 'confirmed', transactionId: '$transfer', signature: '$signature' },
    },
  ],
};

const TRADE = {
  name: 'trade 25 USDC for SOL',
  calls: [
    {
      tool: 'prepare_trade',
      arguments: { from: 'USDC', to: 'SOL', amount: '25' },
      expect: { decision: 'allowed', preview: { status: 'dry_run', inputAmountRaw: String(TRADED) } },
      keep: { handle: 'handle' },
    },
    {
      tool: 'execute',
      arguments: { handle: '$handle' },
      expect: { status: 'confirmed', inputAmountRaw: String(TRADED), outputMint: SOL },
      keep: { trade: 'transactionId', signature: 'signature' },
    },
  ],
};

const BUY = {
  name: 'buy 3 contracts of the first market',
  calls: [
    {
      tool: 'list_markets',
      arguments: { status: 'open', tradeable_only: true, limit: 1 },
      expect: { markets: [{ status: 'open' }] },
      keep: { ticker: 'markets.0.ticker' },
    },
    {
      tool: 'prepare_buy_contracts',
      arguments: { ticker: '$ticker', side: 'yes', count: 3 },
      expect: { decision: 'allowed', preview: { status: 'dry_run', ticker: '$ticker', count: 3 } },
      keep: { handle: 'handle' },
    },
    {
      tool: 'execute',
      arguments: { handle: '$handle' },
      expect: { status: 'filled', transactionStatus: 'confirmed', ticker: '$ticker', side: 'yes', count: 3 },
      keep: { purchase: 'transactionId', order: 'orderId' },
    },
  ],
};

const READ_HISTORY = {
  name: 'read the three in the history',
  calls: [
    {
      tool: 'list_transactions',
      arguments: { limit: 3 },
      expect: {
        transactions: [
          {
            id: '$purchase',
            action: 'prediction_buy',
            status: 'confirmed',
            metadata: { orderId: '$order', ticker: '$ticker', count: 3 },
          },
          { id: '$trade', action: 'trade', status: 'confirmed', amountRaw: String(TRADED) },
          { id: '$transfer', action: 'transfer', status: 'confirmed', amountRaw: String(SENT), to: '$to' },
        ],
      },
      keep: { cost: 'transactions.0.amountRaw' },
      // The history learns of operations by their events.
      isLate: true,
    },
  ],
};

const EXCEED_LIMIT = {
  name: 'get no handle for 101 USDC, which the policy denies',
  calls: [
    {
      tool: 'prepare_transfer',
      arguments: { to: '$to', amount: '101', mint: 'USDC' },
      expect: {
        handle: null,
        decision: 'denied',
        preview: { policy: { allowed: false, rule: 'single_transaction_limit', limitUsd: 100 } },
      },
    },
  ],
};

/** @type {readonly { readonly name: string, readonly calls: readonly Call[] }[]} */
export const TASKS = [READ_BALANCES, SEND, TRADE, BUY, READ_HISTORY, EXCEED_LIMIT];

/** Task of a client that only shows that it connects. */
export const FIRST_TASK = [READ_BALANCES];
