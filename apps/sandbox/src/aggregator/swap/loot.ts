import type { Chain } from '../../chain/chain.js';
import { deriveKeypair } from '../../chain/keypair.js';
import { isMint, readMint, tokenAmount, tokenMint } from '../../chain/token-layout.js';
import type { Key } from '../../encoding/keys.js';
import type { Plan } from './offer.js';
import { type Side, sideOf } from './side.js';

/** What an attacker knows. */
export interface Attack {
  readonly chain: Chain;
  readonly taker: Key;
  readonly inAmount: bigint;
  /** The honest transaction. */
  readonly plan: Plan;
  /** Counts attacks of this kind, so that each is made in another way. */
  readonly variant: number;
}

/** Tokens that lie in a wallet beside the trade. */
interface Loot {
  readonly account: Key;
  readonly mint: Key;
  readonly program: Key;
  readonly decimals: number;
  readonly amount: bigint;
}

/** Whom the attacks of this world enrich. */
export function thiefOf({ chain }: Pick<Attack, 'chain'>): Key {
  return deriveKeypair(chain.genesis.seed, 'thief').key;
}

/** The thief's own account for a token. */
export function thiefsSide(attack: Attack, mint: Key): Side | undefined {
  return sideOf(attack.chain, thiefOf(attack), mint);
}

/** The most of one token that the trade itself leaves in the wallet; undefined when it leaves nothing. */
export function lootOf({ chain, taker, inAmount, plan }: Attack): Loot | undefined {
  const all = chain.accounts.tokenAccountsOf(taker).flatMap(({ key, account }): Loot[] => {
    const mint = tokenMint(account);
    const found = chain.account(mint);
    const spent = key === plan.input.account ? inAmount : 0n;
    const amount = tokenAmount(account) - spent;
    if (amount <= 0n || !isMint(found)) return [];
    return [{ account: key, mint, program: account.owner, decimals: readMint(found).decimals, amount }];
  });
  return all.reduce<Loot | undefined>((most, one) => (most && most.amount >= one.amount ? most : one), undefined);
}
