import { amountOf, decimal, given, limitOf, optionalInteger, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { dryRunLines, OPERATION_FLAGS, OPERATION_OPTIONS, operation, printed } from './operation.js';

const DEFAULT_LIMIT = 20;
const SLIPPAGE = { 'slippage-bps': 'Largest change of the price, in hundredths of a percent' };

const amounts = (tokens: readonly { readonly amount: string }[]) => tokens.map(({ amount }) => amount).join(' and ');

const pools: Command = {
  usage: 'pools',
  summary: 'List pools',
  examples: [['liquidity pools --mint USDC', 'List pools of USDC']],
  options: { mint: 'Token of the pool', limit: `Most pools, ${DEFAULT_LIMIT}` },
  run: async (context, args) => {
    const query = given({ mint: optionalText(args, 'mint') });
    const limit = limitOf(args, DEFAULT_LIMIT);
    const found = await context.wallet().liquidity.pools(query).all(limit);
    context.output.result({ pools: found }, ({ table, usd, price: priceText }) =>
      table(
        ['POOL', 'TOKENS', '>PRICE', '>FEE BPS', '>VALUE', 'DEPOSITS'],
        found.map(({ pool, tokens, price, feeBps, valueUsd, depositsOpen, unsupportedReason }) => [
          pool,
          tokens.map(({ symbol }) => symbol).join('/'),
          priceText(price),
          feeBps,
          usd(valueUsd),
          depositsOpen ? 'open' : (unsupportedReason ?? 'closed'),
        ]),
        'No pools.',
      ),
    );
  },
};

const positions: Command = {
  usage: 'positions',
  summary: 'Show positions in pools',
  examples: [['liquidity positions', 'Show your positions']],
  run: async (context) => {
    const result = await context.wallet().liquidity.positions();
    context.output.result(result, ({ table, usd }) =>
      table(
        ['POSITION', 'AMOUNTS', '>SHARE %', '>VALUE', 'POOL'],
        result.positions.map((position) => [
          position.positionId,
          amounts(position.amounts),
          position.sharePercent,
          usd(position.usdValue),
          position.pool,
        ]),
        'No positions.',
      ),
    );
  },
};

const add: Command = {
  usage: 'add <pool> <amount> <token>',
  summary: 'Add liquidity to a pool',
  examples: [['liquidity add POOL 10 USDC --dry-run', 'See what adding 10 USDC and its counterpart would do']],
  positionals: { pool: 'Address of the pool', amount: 'Decimal text', token: 'Token of the amount' },
  options: { ...SLIPPAGE, ...OPERATION_OPTIONS },
  flags: { raw: 'The amount is in base units', ...OPERATION_FLAGS },
  run: async (context, args) => {
    const order = {
      pool: text(args, 'pool'),
      token: text(args, 'token'),
      amount: amountOf(args),
      ...given({ slippageBps: optionalInteger(args, 'slippage-bps') }),
    };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.liquidity.add(order);
        context.output.result(result, (view) => dryRunLines(result, view, [['Adds', amounts(result.spent)]]));
        return result;
      },
      run: async (wallet, options) =>
        printed(context, await wallet.liquidity.add(order, options), ({ spent, positionId }) => [
          ['Added', amounts(spent)],
          ['Position', positionId],
        ]),
    });
  },
};

const remove: Command = {
  usage: 'remove <positionId> <percent>',
  summary: 'Remove liquidity',
  examples: [['liquidity remove POSITION 100', 'Remove all of a position']],
  positionals: { positionId: 'Id of the position', percent: 'Part to remove' },
  options: { ...SLIPPAGE, ...OPERATION_OPTIONS },
  flags: OPERATION_FLAGS,
  run: async (context, args) => {
    const order = {
      positionId: text(args, 'positionId'),
      percent: decimal(args, 'percent'),
      ...given({ slippageBps: optionalInteger(args, 'slippage-bps') }),
    };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.liquidity.remove(order);
        context.output.result(result, (view) => dryRunLines(result, view, [['Removes', amounts(result.received)]]));
        return result;
      },
      run: async (wallet, options) =>
        printed(context, await wallet.liquidity.remove(order, options), ({ received }) => [
          ['Removed', amounts(received)],
        ]),
    });
  },
};

export const liquidity: Command = {
  usage: 'liquidity',
  summary: 'Pools, and positions in them',
  examples: [
    ['liquidity pools', 'List pools'],
    ['liquidity add POOL 10 USDC', 'Add liquidity'],
  ],
  commands: [pools, positions, add, remove],
};
