import type { AgentWallet, components } from '@agent-wallet/sdk';
import { amountOf, type Args, flag, optionalText } from '../args.js';
import type { Command } from '../command.js';
import { UsageError } from '../exit-codes.js';
import { qrCodeOf } from '../qr-code.js';
import { exactAmount, pairs } from '../view.js';

type Token = Pick<components['schemas']['Token'], 'symbol' | 'decimals' | 'verified'> & {
  readonly mint: string | null;
};

const SOL: Token = { symbol: 'SOL', mint: null, decimals: 9, verified: true };
const ANY = 'SOL, and any token of the SPL Token and Token-2022 programs';

async function tokenOf(wallet: AgentWallet, query: string): Promise<Token> {
  if (/^\d+(\.\d+)?$/.test(query)) throw new UsageError(`<token> comes before <amount>: aw receive SOL ${query}`);
  if (query.toUpperCase() === SOL.symbol) return SOL;
  return wallet.get('/tokens/{query}', { params: { query } });
}

/** Returns the amount as decimal text. @throws UsageError for one that the token cannot have */
function amountIn(args: Args, { symbol, decimals }: Token): string | undefined {
  if (args['amount'] === undefined) return undefined;
  const amount = amountOf(args);
  if (typeof amount === 'bigint') return exactAmount(amount.toString(), decimals);
  const digits = String(amount).split('.')[1]?.length ?? 0;
  if (digits > decimals) throw new UsageError(`${symbol} has ${decimals} decimals, not ${digits}.`);
  return String(amount);
}

/** Writes a request for a payment, as Solana Pay has it. */
function requestUri(address: string, token: Token | undefined, amount: string | undefined): string {
  const fields = new URLSearchParams();
  if (amount !== undefined) fields.set('amount', amount);
  if (token?.mint) fields.set('spl-token', token.mint);
  return `solana:${address}${fields.size > 0 ? `?${fields.toString()}` : ''}`;
}

export const receive: Command = {
  usage: 'receive [token] [amount]',
  summary: 'Show the address that receives, with a QR code in a terminal',
  examples: [
    ['receive', 'Show the address'],
    ['receive USDC 12.5', 'Ask for 12.5 USDC: wallets that scan the code fill in the payment'],
    ['receive SOL --json', 'Read the address and the URI in a script'],
  ],
  positionals: { token: 'SOL, a symbol, or a mint', amount: 'Decimal text' },
  flags: { raw: 'The amount is in base units', 'no-qr': 'Draw no QR code' },
  notes: 'With a token the QR code and the URI are a request of Solana Pay; without, the QR code is the address.',
  run: async (context, args) => {
    const wallet = context.wallet();
    const query = optionalText(args, 'token');
    const token = query === undefined ? undefined : await tokenOf(wallet, query);
    const amount = token && amountIn(args, token);
    const [{ chainAddress: address }, { network, realMoney }] = await Promise.all([wallet.me(), wallet.get('/')]);
    const uri = requestUri(address, token, amount);
    const result = { address, uri, network, realMoney, token: token ?? null, amount: amount ?? null };
    const code = flag(args, 'no-qr') ? undefined : qrCodeOf(token ? uri : address, context.surroundings);
    context.output.result(result, () => {
      const lines = pairs([
        ['Address', address],
        ['Network', realMoney ? network : `${network}: test money only, real money that is sent here is lost`],
        ['Receives', token ? [amount, token.symbol].filter(Boolean).join(' ') : ANY],
        ['Mint', token?.mint],
        ['Verified', token && !token.verified ? 'no: the token may not be the one it says it is' : undefined],
        ['Request', token && uri],
      ]);
      return code === undefined ? lines : `${lines}\n\n${code}`;
    });
  },
};
