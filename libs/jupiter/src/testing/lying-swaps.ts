import type { ChainAccount } from '@agent-wallet/solana';
import { addressOf, decodeMessage } from '@agent-wallet/solana/checks';
import { LOOKUP_TABLE_PROGRAM, ORDER_ENGINE_PROGRAM } from '../programs.js';
import { OTHER_MINT, venueOf } from './actors.js';
import { type DraftAccount, readonly, writable } from './draft.js';
import { forge, type Forgery, isTheirs, namedAccounts, tradeAt } from './forgery.js';
import { ownedAccounts, pooledAccounts } from './owned-accounts.js';
import { type Scenario, scenarios } from './scenarios.js';
import type { SwapCase } from './swap-case.js';

/** Accounts on chain while a swap is asked for, by base58 address. */
export type ChainAccounts = ReadonlyMap<string, ChainAccount>;

/** A draft of a swap service that lies: its bytes are the intent's, and only the chain shows what they lend to a venue. */
export interface LyingSwap extends SwapCase {
  /** The account of the wallet's that it lends. */
  readonly lent: string;
}

/**
 * Lists swaps that lend a venue, or a maker, an account of the wallet's that its address does not give away: each kind,
 * writable and readonly, by name and out of a lookup table, in every honest swap. Accounts on chain are those of
 * {@link corpusAccounts}.
 *
 * Not among them, because no check can tell them from a pool's own: accounts that are unrelated to this service, and
 * programs that a venue names.
 */
export function lyingSwaps(wallet: string): LyingSwap[] {
  return scenarios(wallet).flatMap((scenario) =>
    ownedAccounts(wallet).flatMap(({ name, address }) =>
      [readonly(address), writable(address)].flatMap((account) =>
        lending(scenario, account).map((forgery) => ({
          ...{ scenario: scenario.name, intent: scenario.intent, lent: address, ...forgery },
          name: `${scenario.name}: ${name}${account.isWritable ? ', writable' : ''}, ${forgery.name}`,
        })),
      ),
    ),
  );
}

/** Puts an account where the form of the trade has room for one: after the named ones, or in a counterparty's place. */
function lending(scenario: Scenario, account: DraftAccount): Forgery[] {
  const { instructions, tables } = scenario.draft;
  const at = tradeAt(scenario);
  const trade = instructions[at]!;
  const withAccounts = (accounts: readonly DraftAccount[]) => instructions.with(at, { ...trade, accounts });
  const inTable = new Map([...tables, [venueOf('hiding place'), [OTHER_MINT, account.address]]]);
  const drafts = [
    ['as the last account', [...trade.accounts, account]] as const,
    ...trade.accounts.flatMap((_, i) =>
      isTheirs(trade, i) ? [[`as account ${i}`, trade.accounts.with(i, account)] as const] : [],
    ),
    ...(trade.program === ORDER_ENGINE_PROGRAM
      ? []
      : [['as the first of a venue', trade.accounts.toSpliced(namedAccounts(trade), 0, account)] as const]),
  ];
  return drafts.flatMap(([name, accounts]) => [
    forge(name, scenario, { instructions: withAccounts(accounts) }),
    forge(`${name}, from a table`, scenario, { instructions: withAccounts(accounts), tables: inTable }),
  ]);
}

/** Returns the accounts on chain that the swaps of the corpus mention, without lookup tables. */
export function corpusAccounts(wallet: string): ChainAccounts {
  return new Map([...ownedAccounts(wallet), ...pooledAccounts()].map(({ address, account }) => [address, account]));
}

const TABLE_BYTES = 56 + 256 * 32;

/** Returns the lookup tables that bring the given addresses into a message, as far as they are 32 bytes long. */
export function tablesFor(message: Uint8Array, resolvedAddresses: readonly Uint8Array[]): Map<string, ChainAccount> {
  const { lookups } = decodeMessage(message);
  const rest = [...resolvedAddresses];
  const tables = lookups.map(({ table }) => ({ address: addressOf(table), data: Buffer.alloc(TABLE_BYTES) }));
  for (const part of ['writable', 'readonly'] as const) {
    lookups.forEach((lookup, n) =>
      lookup[part].forEach((index) => {
        const address = rest.shift();
        if (address?.length === 32) tables[n]!.data.set(address, 56 + 32 * index);
      }),
    );
  }
  return new Map(
    tables.map(({ address, data }) => {
      data.writeUInt32LE(1);
      data.writeBigUInt64LE(2n ** 64n - 1n, 4);
      return [address, { owner: LOOKUP_TABLE_PROGRAM, lamports: 1n, data, executable: false }];
    }),
  );
}
