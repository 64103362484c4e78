import { readFileSync } from 'node:fs';
import type { AccountChange } from '../chain/account.js';
import type { Program } from '../chain/genesis.js';
import { SYSTEM_PROGRAM } from '../chain/programs.js';
import { key, type Key } from '../encoding/keys.js';
import { MAINNET_TOKENS } from '../tokens/mainnet.js';
import { seededAccount } from '../tokens/token-accounts.js';
import { AGGREGATOR_PROGRAM } from './aggregator-program.js';
import { CPMM_PROGRAM } from '../liquidity/cpmm-program.js';
import { ORDER_ENGINE } from './fill.js';
import { type Pair, pairOf, reservesAt, unitPrice } from './pair.js';
import { pairAccounts, tokenAccounts } from './pair-accounts.js';

/** 100 million SOL. */
const MAKER_LAMPORTS = 100_000_000_000_000_000n;

/** The programs under `programs`, loaded at the real ones' ids. */
export function marketPrograms(): Program[] {
  const read = (name: string) => readFileSync(new URL(`../../programs/${name}.so`, import.meta.url));
  return [
    { id: AGGREGATOR_PROGRAM, elf: read('aggregator') },
    { id: CPMM_PROGRAM, elf: read('cpmm') },
    { id: key(ORDER_ENGINE), elf: read('order-engine') },
  ];
}

/** The accounts a new world's market begins with: pools for mainnet's tokens at their first prices, a stocked maker. */
export function marketAccounts(maker: { readonly key: Key }): AccountChange[] {
  const wallet = seededAccount(maker.key, SYSTEM_PROGRAM, Buffer.alloc(0), MAKER_LAMPORTS);
  const accounts = [wallet, ...MAINNET_TOKENS.flatMap((token) => tokenAccounts(token, maker.key))];
  MAINNET_TOKENS.forEach((one, index) => {
    for (const other of MAINNET_TOKENS.slice(index + 1)) {
      const pair = pairOf(one, other);
      if (pair) accounts.push(...firstAccounts(pair));
    }
  });
  return accounts;
}

function firstAccounts(pair: Pair): AccountChange[] {
  const [a, b] = [pair.a, pair.b].map(({ mint, decimals }) => {
    const { usd } = MAINNET_TOKENS.find((token) => token.mint === mint)!;
    return unitPrice(usd, decimals)!;
  });
  return pairAccounts(pair, (venue) => reservesAt(venue, a!, b!)!);
}
