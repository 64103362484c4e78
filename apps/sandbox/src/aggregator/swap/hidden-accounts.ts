import { AddressLookupTableAccount, type PublicKey } from '@solana/web3.js';
import type { Chain } from '../../chain/chain.js';
import { deriveKeypair } from '../../chain/keypair.js';
import { LOOKUP_TABLE_PROGRAM } from '../../chain/programs.js';
import { publicKey } from '../../tokens/token-accounts.js';
import type { Draft } from './draft.js';
import type { Attack } from './loot.js';

const NEVER = 2n ** 64n - 1n;

/** Hides a draft's accounts behind a table that does not exist, or one in which other addresses stand. */
export function hidden(draft: Draft, { chain }: Pick<Attack, 'chain'>, which: 'missing' | 'another'): Draft {
  const addresses = new Map<string, PublicKey>();
  for (const { instruction } of draft.parts) {
    for (const { pubkey } of instruction.keys) addresses.set(pubkey.toBase58(), pubkey);
  }
  const missing = publicKey(deriveKeypair(chain.genesis.seed, 'missing table').key);
  const key = which === 'missing' ? missing : (draft.tables[0]?.key ?? anyTable(chain) ?? missing);
  const state = {
    addresses: [...addresses.values()],
    deactivationSlot: NEVER,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
  };
  return { ...draft, tables: [new AddressLookupTableAccount({ key, state })], forceTables: true };
}

function anyTable(chain: Chain): PublicKey | undefined {
  for (const [key, account] of chain.accounts.entries()) {
    if (account.owner === LOOKUP_TABLE_PROGRAM) return publicKey(key);
  }
  return undefined;
}
