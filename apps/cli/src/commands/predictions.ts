import type { components } from '@agent-wallet/sdk';
import { type Args, decimal, given, limitOf, oneOf, optionalInteger, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { orderExit } from '../exit-codes.js';
import { dryRunLines, OPERATION_FLAGS, OPERATION_OPTIONS, operation, printed } from './operation.js';

const DEFAULT_LIMIT = 20;
/** The service does not search, so the first markets are searched here. */
const SEARCHED = 1_000;
const STATUSES = ['unopened', 'open', 'closed', 'settled'] as const;

const markets: Command = {
  usage: 'markets',
  summary: 'List prediction markets',
  examples: [
    ['markets --status open --limit 5', 'List five open markets'],
    ['markets --search bitcoin', 'Search titles and tickers'],
  ],
  options: {
    status: `${STATUSES.join(', ')}; open by default`,
    search: `Text in the title or ticker, among the first ${SEARCHED}`,
    limit: `Most markets, ${DEFAULT_LIMIT}`,
  },
  run: async (context, args) => {
    const status = oneOf({ status: 'open', ...given(args) }, 'status', STATUSES);
    const limit = limitOf(args, DEFAULT_LIMIT);
    const words = optionalText(args, 'search')?.toLowerCase();
    const pages = context.wallet().predictions.markets({ status });
    const read = await pages.all(words === undefined ? limit : SEARCHED);
    const found = read.filter(({ ticker, title, subtitle }) =>
      `${ticker} ${title} ${subtitle}`.toLowerCase().includes(words ?? ''),
    );
    const shown = found.slice(0, limit);
    context.output.result({ markets: shown }, ({ table, time }) =>
      table(
        ['TICKER', '>YES ¢', '>NO ¢', 'STATUS', 'CLOSES', 'TITLE'],
        shown.map(({ ticker, yesAsk, noAsk, status: at, paused, closeTime, title }) => [
          ticker,
          yesAsk,
          noAsk,
          paused ? 'paused' : at,
          time(closeTime),
          title,
        ]),
        'No markets.',
      ),
    );
  },
};

const ORDER_POSITIONALS = { ticker: 'Ticker of the market', side: 'yes or no', count: 'Contracts' };

function orderOf(args: Args) {
  return { ticker: text(args, 'ticker'), side: oneOf(args, 'side', ['yes', 'no']), count: decimal(args, 'count') };
}

function priceLimit<const Bound extends 'max' | 'min'>(args: Args, bound: Bound) {
  return given({
    [`${bound}PriceCents`]: optionalInteger(args, `${bound}-price-cents`),
    [`${bound}PriceDollars`]: optionalText(args, `${bound}-price-dollars`),
  });
}

function contracts({ count, side, ticker }: components['schemas']['OrderTerms']): string {
  return `${count} ${side} of ${ticker}`;
}

const buy: Command = {
  usage: 'buy <ticker> <side> <count>',
  summary: 'Buy prediction contracts',
  examples: [
    ['buy KXBTC-26 yes 3', 'Buy three contracts'],
    ['buy KXBTC-26 no 3 --max-price-cents 40 --dry-run', 'See what they would cost'],
  ],
  positionals: ORDER_POSITIONALS,
  options: {
    'max-price-cents': 'Highest price of one contract',
    'max-price-dollars': 'The same, such as 0.995, on the market’s tick',
    ...OPERATION_OPTIONS,
  },
  flags: OPERATION_FLAGS,
  run: async (context, args) => {
    const order = { ...orderOf(args), ...priceLimit(args, 'max') };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.predictions.buy(order);
        context.output.result(result, (view) =>
          dryRunLines(result, view, [
            ['Buys', contracts(result)],
            ['Cost', view.usd(result.totalCostDollars)],
          ]),
        );
        return result;
      },
      run: async (wallet, options) => {
        const result = await wallet.predictions.buy(order, options);
        await printed(context, result, (_, { usd }) => [
          ['Bought', Number(result.count) === 0 ? 'nothing: no offer within the price' : contracts(result)],
          ['Order', result.status],
          ['Cost', usd(result.totalCostDollars)],
          ['Refund', result.refundedDollars ? usd(result.refundedDollars) : undefined],
        ]);
        return orderExit(result);
      },
    });
  },
};

const sell: Command = {
  usage: 'sell <ticker> <side> <count>',
  summary: 'Sell prediction contracts',
  examples: [
    ['sell KXBTC-26 yes 3 --min-price-cents 60', 'Sell three contracts at 60 cents or more'],
    ['sell KXBTC-26 yes 0.5', 'Sell half a contract'],
  ],
  positionals: ORDER_POSITIONALS,
  options: {
    'min-price-cents': 'Lowest price of one contract',
    'min-price-dollars': 'The same, such as 0.005, on the market’s tick',
    ...OPERATION_OPTIONS,
  },
  flags: OPERATION_FLAGS,
  run: async (context, args) => {
    const order = { ...orderOf(args), ...priceLimit(args, 'min') };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.predictions.sell(order);
        context.output.result(result, (view) => dryRunLines(result, view, [['Sells', contracts(result)]]));
        return result;
      },
      run: async (wallet, options) => {
        const result = await wallet.predictions.sell(order, options);
        await printed(context, result, () => [
          ['Sold', Number(result.count) === 0 ? 'nothing: no bid within the price' : contracts(result)],
          ['Order', result.status],
          ['Price', result.pricePerContractDollars === null ? undefined : `$${result.pricePerContractDollars}`],
        ]);
        return orderExit(result);
      },
    });
  },
};

const positions: Command = {
  usage: 'positions',
  summary: 'Show prediction positions',
  examples: [['positions', 'Show the contracts that you hold']],
  run: async (context) => {
    const result = await context.wallet().predictions.positions();
    context.output.result(result, ({ table, usd }) =>
      table(
        ['TICKER', 'SIDE', '>CONTRACTS', '>COST', '>VALUE', '>GAIN', 'RESULT'],
        result.positions.map((position) => [
          position.ticker,
          position.side,
          position.quantity,
          usd(position.totalCostDollars),
          usd(position.currentValueDollars),
          usd(position.unrealizedPnlDollars),
          position.settlementResult ?? (position.settled ? 'settled' : 'open'),
        ]),
        'No positions.',
      ),
    );
  },
};

const orders: Command = {
  usage: 'orders',
  summary: 'List prediction orders, the newest first',
  examples: [['orders --limit 5', 'List the last five orders']],
  options: { limit: `Most orders, ${DEFAULT_LIMIT}` },
  run: async (context, args) => {
    const wallet = context.wallet();
    const found = await wallet.predictions.orders().all(limitOf(args, DEFAULT_LIMIT));
    context.output.result({ orders: found }, ({ table, time, usd }) =>
      table(
        ['CREATED', 'ACTION', 'TICKER', 'SIDE', '>CONTRACTS', '>TOTAL', 'STATUS', 'TRANSACTION'],
        found.map((order) => [
          time(order.createdAt),
          order.action,
          order.ticker,
          order.side,
          order.count,
          usd(order.totalDollars),
          order.status,
          order.transactionId,
        ]),
        'No orders.',
      ),
    );
  },
};

const withdraw: Command = {
  usage: 'withdraw <dollars>',
  summary: 'Move dollars of the prediction balance to the wallet',
  examples: [['withdraw 12.50', 'Withdraw 12.50 dollars']],
  positionals: { dollars: 'Decimal text, at most two decimals' },
  options: OPERATION_OPTIONS,
  run: async (context, args) => {
    const dollars = text(args, 'dollars');
    const key = optionalText(args, 'key');
    await context.operate(async (wallet, options) => {
      const result = await wallet.predictions.withdraw(dollars, { ...options, ...given({ key }) });
      await printed(context, result, ({ amountDollars, newBalanceDollars }, { usd }) => [
        ['Withdrawn', usd(amountDollars)],
        ['Prediction balance', usd(newBalanceDollars)],
      ]);
    });
  },
};

export const PREDICTION_COMMANDS: readonly Command[] = [markets, buy, sell, positions, orders, withdraw];
