import { formatAmount, SOL_DECIMALS } from '@agent-wallet/kernel';
import type { Chain } from '../chain/chain.js';
import { TOKEN_PROGRAM } from '../chain/programs.js';
import { isMint, readMint, readTokenAccount } from '../chain/token-layout.js';
import { type Key, keyText, parseKey } from '../encoding/keys.js';
import { BadRequest, type JsonRequest, type JsonRoute } from '../http/json-server.js';
import { tokenAccountOf } from '../tokens/token-accounts.js';
import type { AggregatorContext } from './aggregator-context.js';

/** What a wallet holds, native and in tokens, as of the confirmed slot. */
export function holdingsRoutes({ chain }: AggregatorContext): JsonRoute[] {
  return [
    {
      method: 'GET',
      path: '/ultra/v1/holdings/{address}',
      answer: (request) => {
        const wallet = walletOf(request);
        return { body: { ...native(chain, wallet), tokens: tokens(chain, wallet) } };
      },
    },
    {
      method: 'GET',
      path: '/ultra/v1/holdings/{address}/native',
      answer: (request) => ({ body: native(chain, walletOf(request)) }),
    },
    {
      method: 'GET',
      path: '/ultra/v1/balances/{address}',
      answer: (request) => ({ body: balances(chain, walletOf(request)) }),
    },
  ];
}

interface Holding extends Amounts {
  readonly account: string;
  readonly isFrozen: boolean;
  readonly isAssociatedTokenAccount: boolean;
  readonly decimals: number;
  readonly programId: string;
}

interface Amounts {
  readonly amount: string;
  readonly uiAmount: number;
  readonly uiAmountString: string;
}

function walletOf({ names }: JsonRequest): Key {
  const wallet = parseKey(names['address']);
  if (wallet === undefined) throw new BadRequest('Invalid address');
  return wallet;
}

function native(chain: Chain, wallet: Key): Amounts {
  return amounts(chain.account(wallet, chain.view().confirmed)?.lamports ?? 0n, SOL_DECIMALS);
}

function tokens(chain: Chain, wallet: Key): Record<string, Holding[]> {
  const found: Record<string, Holding[]> = {};
  for (const { key, account } of chain.accounts.tokenAccountsOf(wallet, chain.view().confirmed)) {
    const { mint, amount, state } = readTokenAccount(account);
    const mintAccount = chain.account(mint);
    const decimals = isMint(mintAccount) ? readMint(mintAccount).decimals : 0;
    const program = account.owner === TOKEN_PROGRAM ? 'token' : 'token-2022';
    (found[keyText(mint)] ??= []).push({
      account: keyText(key),
      ...amounts(amount, decimals),
      isFrozen: state === 'frozen',
      isAssociatedTokenAccount: tokenAccountOf(wallet, { mint, program }) === key,
      decimals,
      programId: keyText(account.owner),
    });
  }
  return found;
}

/** The older form: one sum a mint, and "SOL" for the native coin. */
function balances(chain: Chain, wallet: Key): Record<string, unknown> {
  const slot = chain.view().confirmed;
  const short = (amount: bigint, decimals: number, isFrozen: boolean) => ({
    amount: String(amount),
    uiAmount: amounts(amount, decimals).uiAmount,
    slot,
    isFrozen,
  });
  const body: Record<string, unknown> = {
    SOL: short(BigInt(native(chain, wallet).amount), SOL_DECIMALS, false),
  };
  for (const [mint, held] of Object.entries(tokens(chain, wallet))) {
    const sum = held.reduce((total, { amount }) => total + BigInt(amount), 0n);
    body[mint] = short(
      sum,
      held[0]!.decimals,
      held.some(({ isFrozen }) => isFrozen),
    );
  }
  return body;
}

function amounts(units: bigint, decimals: number): Amounts {
  const text = formatAmount(units, decimals);
  return { amount: String(units), uiAmount: Number(text), uiAmountString: text };
}
