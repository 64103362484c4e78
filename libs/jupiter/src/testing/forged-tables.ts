import { addressBytes, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { KNOWN_MINTS } from '../checks/check-mentioned-accounts.js';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM } from '../programs.js';
import { OTHER_MINT, THIEF, tokenAccountOf, venueOf } from './actors.js';
import { compile } from './draft.js';
import { forge, type Forgery, namedAccounts, permitted, tradeAt } from './forgery.js';
import { type Scenario, swapOf } from './scenarios.js';

/** Messages whose tables hold something else than was permitted, or something that no table may hold. */
export function forgedTables(scenario: Scenario): Forgery[] {
  const { message, resolvedAddresses } = compile(scenario.draft);
  const { intent } = scenario;
  const resolved = (name: string, addresses: readonly Uint8Array[]): Forgery[] => [
    { name: `${name}, not permitted`, message, resolvedAddresses: addresses },
    { name: `${name}, permitted`, message, resolvedAddresses: addresses, intent: permitted(intent, addresses) },
  ];
  const notPermitted = (name: string, addresses: readonly Uint8Array[]): Forgery[] =>
    resolved(name, addresses).slice(0, 1);
  const thief = addressBytes(THIEF);
  const counts = [
    ...resolved('one address more', [...resolvedAddresses, thief]),
    { name: 'another hash', message, resolvedAddresses, intent: permitted(intent, [thief]) },
  ];
  if (resolvedAddresses.length === 0) return [...counts, ...hidden(scenario)];
  return [
    ...counts,
    ...hidden(scenario),
    ...resolved('no addresses', []),
    ...resolved('one address less', resolvedAddresses.slice(0, -1)),
    ...resolved('one byte less', resolvedAddresses.with(0, thief.subarray(1))),
    ...resolved('all in one', [Buffer.concat(resolvedAddresses)]),
    ...notPermitted('addresses reversed', [...resolvedAddresses].reverse()),
    ...notPermitted('two addresses swapped', [
      ...resolvedAddresses.slice(0, 2).reverse(),
      ...resolvedAddresses.slice(2),
    ]),
    ...resolvedAddresses.flatMap((original, i) => [
      ...notPermitted(`address ${i} is a thief's`, resolvedAddresses.with(i, thief)),
      ...(isNamed(scenario, original)
        ? resolved(`named address ${i} is a thief's`, resolvedAddresses.with(i, thief))
        : []),
      ...never(scenario).flatMap(({ name, address }) =>
        Buffer.compare(addressBytes(address), original) === 0
          ? []
          : resolved(`address ${i} is ${name}`, resolvedAddresses.with(i, addressBytes(address))),
      ),
    ]),
  ];
}

function isNamed(scenario: Scenario, address: Uint8Array): boolean {
  const trade = scenario.draft.instructions[tradeAt(scenario)]!;
  return trade.accounts
    .slice(0, namedAccounts(trade))
    .some((account) => Buffer.compare(addressBytes(account.address), address) === 0);
}

/** Lists the accounts that must not come from a table. */
function never({ intent }: Scenario): { name: string; address: string }[] {
  const { wallet } = intent;
  const { inputMint, outputMint } = swapOf(intent);
  return [
    { name: 'the wallet', address: wallet },
    ...[...new Set([...KNOWN_MINTS, inputMint, outputMint])].flatMap((mint) =>
      ([TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const).map((program) => ({
        name: `the wallet's ${mint} of ${program}`,
        address: tokenAccountOf(wallet, mint, program),
      })),
    ),
    { name: 'the aggregator', address: JUPITER_PROGRAM },
    { name: 'the system program', address: SYSTEM_PROGRAM },
  ];
}

/** Moves the wallet's own accounts of this trade into a table, as a dishonest compiler could. */
function hidden(scenario: Scenario): Forgery[] {
  const { draft, intent } = scenario;
  const { inputMint, outputMint } = swapOf(intent);
  const at = tradeAt(scenario);
  const trade = draft.instructions[at]!;
  const own = [inputMint, outputMint].flatMap((mint) => {
    const address = tokenAccountOf(intent.wallet, mint);
    return trade.accounts.some((account) => account.address === address) ? [address] : [];
  });
  const inTable = (address: string) => new Map([...draft.tables, [venueOf('hiding place'), [OTHER_MINT, address]]]);
  const savings = { address: tokenAccountOf(intent.wallet, KNOWN_MINTS[7]!), isSigner: false, isWritable: true };
  const instructions = draft.instructions.with(at, { ...trade, accounts: [...trade.accounts, savings] });
  return [
    ...own.map((address) => forge(`${address} in a table`, scenario, { tables: inTable(address) })),
    // Who signs with a maker sees every account in the message itself.
    ...(trade.program === ORDER_ENGINE_PROGRAM
      ? [3, 5, 6].map((i) => {
          const { address } = trade.accounts[i]!;
          return forge(`account ${i} of the fill in a table`, scenario, { tables: inTable(address) });
        })
      : []),
    forge("the wallet's savings in a table", scenario, { instructions, tables: inTable(savings.address) }),
  ];
}
