import { amountOf, given, optionalInteger, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import { exactAmount, pairs } from '../view.js';
import { dryRunLines, OPERATION_FLAGS, OPERATION_OPTIONS, operation, printed } from './operation.js';

const balance: Command = {
  usage: 'balance',
  summary: 'Show what the wallet holds',
  examples: [
    ['balance', 'Show the balances with their values'],
    ['balance --json', 'Read them in a script'],
  ],
  run: async (context) => {
    const balances = await context.wallet().balances();
    const { sol, tokens, totalUsdValue, chainAddress } = balances;
    context.output.result(balances, ({ table, usd }) => {
      const rows = [{ symbol: 'SOL', mint: '', ...sol }, ...tokens].map((token) => [
        exactAmount(token.amountRaw, token.decimals),
        token.symbol,
        usd(token.usdValue),
        token.mint,
      ]);
      return `${table(['>AMOUNT', 'TOKEN', '>VALUE', 'MINT'], rows, '')}\n\n${pairs([
        ['Total', usd(totalUsdValue)],
        ['Address', chainAddress],
      ])}`;
    });
  },
};

const faucet: Command = {
  usage: 'faucet <amount> <token>',
  summary: 'Get test money in the sandbox',
  examples: [
    ['faucet 1 SOL', 'Get 1 SOL'],
    ['faucet 250 USDC', 'Get 250 USDC'],
  ],
  positionals: { amount: 'Decimal text', token: 'SOL, a symbol, or a mint' },
  run: async (context, args) => {
    const order = { amount: text(args, 'amount'), token: text(args, 'token') };
    const poured = await context.wallet().faucet(order);
    context.output.result(poured, () =>
      pairs([
        ['Received', `${order.amount} ${order.token}`],
        ['Signature', poured.signature],
      ]),
    );
  },
};

const send: Command = {
  usage: 'send <amount> <token> <recipient>',
  summary: 'Send SOL or a token',
  examples: [
    ['send 12.5 USDC 8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc', 'Send 12.5 USDC'],
    ['send 0.1 SOL 8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc --dry-run', 'See what would happen'],
    ['send 5 USDC 8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc --key invoice-17', 'Pay an invoice once'],
  ],
  positionals: { amount: 'Decimal text', token: 'SOL, a symbol, or a mint', recipient: 'Address that receives it' },
  options: { memo: 'Text that is written on the chain', ...OPERATION_OPTIONS },
  flags: { raw: 'The amount is in base units', ...OPERATION_FLAGS },
  run: async (context, args) => {
    const token = text(args, 'token');
    const order = {
      to: text(args, 'recipient'),
      amount: amountOf(args),
      ...given({ mint: token.toUpperCase() === 'SOL' ? undefined : token, memo: optionalText(args, 'memo') }),
    };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.transfer(order);
        context.output.result(result, (view) =>
          dryRunLines(result, view, [['Sends', `${result.amount} to ${result.recipient}`]]),
        );
        return result;
      },
      run: async (wallet, options) =>
        printed(context, await wallet.transfer(order, options), ({ amount, recipient }) => [
          ['Sent', `${amount} to ${recipient}`],
        ]),
    });
  },
};

const trade: Command = {
  usage: 'trade <amount> <from> <to>',
  summary: 'Trade one token for another',
  examples: [
    ['trade 25 USDC SOL', 'Sell 25 USDC for SOL'],
    ['trade 25 USDC SOL --slippage-bps 50 --dry-run', 'See the price'],
  ],
  positionals: { amount: 'Decimal text', from: 'Token that is sold', to: 'Token that is bought' },
  options: { 'slippage-bps': 'Largest loss to the price, in hundredths of a percent', ...OPERATION_OPTIONS },
  flags: { raw: 'The amount is in base units', ...OPERATION_FLAGS },
  run: async (context, args) => {
    const order = {
      from: text(args, 'from'),
      to: text(args, 'to'),
      amount: amountOf(args),
      ...given({ slippageBps: optionalInteger(args, 'slippage-bps') }),
    };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.trade(order);
        context.output.result(result, (view) =>
          dryRunLines(result, view, [
            ['Trades', `${result.inputAmount} for ${result.outputAmount}`],
            ['Price impact', result.priceImpact],
          ]),
        );
        return result;
      },
      run: async (wallet, options) =>
        printed(context, await wallet.trade(order, options), ({ inputAmount, outputAmount }) => [
          ['Traded', `${inputAmount} for ${outputAmount}`],
        ]),
    });
  },
};

const unwrap: Command = {
  usage: 'unwrap [amount]',
  summary: 'Unwrap wrapped SOL',
  examples: [
    ['unwrap', 'Unwrap all of it'],
    ['unwrap 0.5 --dry-run', 'See what would happen'],
  ],
  positionals: { amount: 'Decimal text; all when omitted' },
  options: OPERATION_OPTIONS,
  flags: { raw: 'The amount is in base units', ...OPERATION_FLAGS },
  run: async (context, args) => {
    const order = args['amount'] === undefined ? {} : { amount: amountOf(args) };
    return operation(context, args, {
      dryRun: async (wallet) => {
        const result = await wallet.dryRun.unwrapSol(order);
        context.output.result(result, (view) => dryRunLines(result, view, [['Unwraps', result.amount]]));
        return result;
      },
      run: async (wallet, options) =>
        printed(context, await wallet.unwrapSol(order, options), ({ amount }) => [['Unwrapped', amount]]),
    });
  },
};

export const MONEY_COMMANDS: readonly Command[] = [balance, faucet, send, trade, unwrap];
