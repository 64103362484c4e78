import { oneOf, text } from '../args.js';
import type { Command } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { pairs } from '../view.js';

const token: Command = {
  usage: 'token <token>',
  summary: 'Show a token, and how safe it is',
  examples: [['token USDC', 'Show the mint and the authorities of USDC']],
  positionals: { token: 'Symbol or mint' },
  run: async (context, args) => {
    const found = await context.wallet().get('/tokens/{query}', { params: { query: text(args, 'token') } });
    context.output.result(found, () =>
      pairs([
        ['Symbol', found.symbol],
        ['Name', found.name],
        ['Mint', found.mint],
        ['Decimals', found.decimals],
        ['Verified', found.verified ? 'yes' : 'no'],
        ...Object.entries(found.safety).map(([name, value]) => [name, wordsOf(value)] as const),
      ]),
    );
  },
};

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const api: Command = {
  usage: 'api <method> <path>',
  summary: 'Read any route of the API, as JSON',
  examples: [
    ['api GET /wallets/me', 'Read the agent'],
    ['api GET "/wallets/me/history?limit=5"', 'Read the last five records'],
  ],
  positionals: { method: 'GET: other methods have commands', path: 'Path of /openapi.json, with its query' },
  values: { method: ['GET'] },
  run: async (context, args) => {
    oneOf(args, 'method', ['get']);
    const path = text(args, 'path');
    if (!path.startsWith('/')) throw new UsageError(`<path> begins with /, not as ${path} does.`);
    const data = await context.wallet().call({ method: 'GET', path });
    context.output.result(data, () => JSON.stringify(data, null, 2));
  },
};

export const ROUTE_COMMANDS: readonly Command[] = [token, api];
