import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { KNOWN_MINTS } from '../checks/check-mentioned-accounts.js';
import { JUPITER_EVENT_AUTHORITY, JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM, PROGRAM_AUTHORITIES } from '../programs.js';
import { OTHER_MINT, THIEF, tokenAccountOf } from './actors.js';
import { type DraftAccount, type DraftInstruction, readonly, signer, writable } from './draft.js';
import { forge, type Forgery, isTheirs, namedAccounts, tradeAt } from './forgery.js';
import { type Scenario, swapOf } from './scenarios.js';

/** Messages whose instructions have other accounts, more, fewer, or with other rights. */
export function forgedAccounts(scenario: Scenario): Forgery[] {
  const { instructions } = scenario.draft;
  const forgeries = instructions.flatMap((instruction, at) =>
    [...changed(scenario, instruction), ...removed(instruction), ...flagged(instruction, scenario.intent)].map(
      ({ name, accounts }) =>
        forge(`instruction ${at}: ${name}`, scenario, {
          instructions: instructions.with(at, { ...instruction, accounts }),
        }),
    ),
  );
  return [...forgeries, ...unsigned(scenario), ...lent(scenario), ...rights(scenario)];
}

/** Replaces a signer's account with another that does not sign; the right signers still sign elsewhere. */
function unsigned(scenario: Scenario): Forgery[] {
  const { instructions } = scenario.draft;
  const at = tradeAt(scenario);
  const trade = instructions[at]!;
  const { wallet } = scenario.intent;
  // The order engine has a place for both; who lost his own one is named there once more.
  const bystanders = trade.program === ORDER_ENGINE_PROGRAM ? [{ ...signer(wallet), isWritable: true }] : [];
  return trade.accounts.flatMap((account, i) =>
    account.isSigner
      ? forge(`a thief trades in the place of signer ${i}, unsigned`, scenario, {
          instructions: instructions.with(at, {
            ...trade,
            accounts: [...trade.accounts.with(i, { ...account, address: THIEF, isSigner: false }), ...bystanders],
          }),
        })
      : [],
  );
}

interface Change {
  readonly name: string;
  readonly accounts: readonly DraftAccount[];
}

/** Replaces every named account with each account that could gain from its place. */
function changed({ intent }: Scenario, instruction: DraftInstruction): Change[] {
  const { wallet } = intent;
  const { inputMint, outputMint } = swapOf(intent);
  const strangers = {
    'a thief': THIEF,
    ...(intent.sponsor === undefined ? {} : { 'the sponsor': intent.sponsor }),
    'the wallet': wallet,
    'another mint': OTHER_MINT,
    "the thief's account of the input": tokenAccountOf(THIEF, inputMint),
    "the thief's account of the output": tokenAccountOf(THIEF, outputMint),
    "the wallet's savings": tokenAccountOf(wallet, OTHER_MINT),
    "the wallet's account of the input": tokenAccountOf(wallet, inputMint),
    "the wallet's account of the output": tokenAccountOf(wallet, outputMint),
    'the input': inputMint,
    'the output': outputMint,
    'the token program': TOKEN_PROGRAM,
    'token-2022': TOKEN_2022_PROGRAM,
    'the system program': SYSTEM_PROGRAM,
    'the aggregator': JUPITER_PROGRAM,
    'the order engine': ORDER_ENGINE_PROGRAM,
    'an authority': PROGRAM_AUTHORITIES[9]!,
    'the event authority': JUPITER_EVENT_AUTHORITY,
  };
  const { accounts } = instruction;
  return Object.entries(strangers).flatMap(([who, address]) =>
    accounts
      .slice(0, namedAccounts(instruction))
      .flatMap((account, i) =>
        account.address === address ||
        isHarmless(scenarioRights(intent.wallet, inputMint, outputMint), instruction, i, address)
          ? []
          : { name: `account ${i} is ${who}`, accounts: accounts.with(i, { ...account, address }) },
      ),
  );
}

interface Owned {
  readonly ours: readonly string[];
  readonly destination: string;
}

function scenarioRights(wallet: string, inputMint: string, outputMint: string): Owned {
  const ours = [wallet, tokenAccountOf(wallet, inputMint), tokenAccountOf(wallet, outputMint)];
  return { ours, destination: ours[2]! };
}

/** Changes without a loss: accounts that are not the wallet's where others' stand, and other receivers of a tip. */
function isHarmless({ ours, destination }: Owned, instruction: DraftInstruction, at: number, address: string): boolean {
  if (isTheirs(instruction, at)) return !ours.includes(address) && !KNOWN_MINTS.includes(address);
  const isReceiver = instruction.program === JUPITER_PROGRAM && instruction.data[0] === 0xbb && at === 7;
  if (isReceiver) return [destination, JUPITER_PROGRAM].includes(address);
  const isTip =
    instruction.program === SYSTEM_PROGRAM && PROGRAM_AUTHORITIES.includes(instruction.accounts[1]!.address);
  return isTip && at === 1 && PROGRAM_AUTHORITIES.includes(address);
}

/** Removes or repeats one of the named accounts, so that those behind it move. */
function removed(instruction: DraftInstruction): Change[] {
  const { accounts } = instruction;
  return accounts.slice(0, namedAccounts(instruction)).flatMap((account, i) => [
    { name: `without account ${i}`, accounts: accounts.toSpliced(i, 1) },
    // What comes after the last one is the venues' affair.
    ...(instruction.program === JUPITER_PROGRAM && i === namedAccounts(instruction) - 1
      ? []
      : [{ name: `account ${i} twice`, accounts: accounts.toSpliced(i, 0, account) }]),
  ]);
}

/** Others who sign, and one more account where the form allows none. */
function flagged(instruction: DraftInstruction, { wallet, sponsor }: Scenario['intent']): Change[] {
  const { accounts, program } = instruction;
  const isRoute = program === JUPITER_PROGRAM;
  return [
    ...accounts.flatMap((account, i) =>
      account.isSigner || [wallet, sponsor].includes(account.address)
        ? []
        : { name: `account ${i} signs`, accounts: accounts.with(i, { ...account, isSigner: true }) },
    ),
    { name: 'a thief signs, too', accounts: [...accounts, signer(THIEF)] },
    ...(isRoute ? [] : [{ name: 'one account more', accounts: [...accounts, writable(THIEF)] }]),
  ];
}

/** Returns forgeries that give a route's venues accounts that they must never get. */
function lent(scenario: Scenario): Forgery[] {
  const { draft, intent } = scenario;
  const { wallet } = intent;
  const at = tradeAt(scenario);
  const trade = draft.instructions[at]!;
  const { inputMint, outputMint } = swapOf(intent);
  const traded = [inputMint, outputMint].map((mint) => tokenAccountOf(wallet, mint));
  const savings = [...KNOWN_MINTS, inputMint, outputMint].flatMap((mint) =>
    ([TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const).map((program) => tokenAccountOf(wallet, mint, program)),
  );
  const isShared = trade.data[0] === 0xd1;
  const isFill = trade.program === ORDER_ENGINE_PROGRAM;
  const programs = ['Stake11111111111111111111111111111111111111', 'BPFLoaderUpgradeab1e11111111111111111111111'];
  const accounts = [
    ...[...new Set(savings)].filter((account) => isShared || isFill || !isOurs(account)),
    ...(isShared || isFill ? [wallet] : []),
    ...(intent.sponsor === undefined ? [] : [intent.sponsor]),
    SYSTEM_PROGRAM,
    ...programs,
    'Vote111111111111111111111111111111111111111',
  ];
  function isOurs(account: string): boolean {
    const own = trade.accounts.slice(0, 3).map(({ address }) => address);
    return traded.includes(account) || own.includes(account);
  }
  return accounts.flatMap((address) =>
    [readonly(address), writable(address)].map((account) =>
      forge(`venues are lent ${address}${account.isWritable ? ', writable' : ''}`, scenario, {
        instructions: draft.instructions.with(at, { ...trade, accounts: [...trade.accounts, account] }),
      }),
    ),
  );
}

/** Accounts that may be written to without need, or may not where they must. */
function rights(scenario: Scenario): Forgery[] {
  const { draft, intent } = scenario;
  const trade = draft.instructions[tradeAt(scenario)]!;
  const { inputMint, outputMint } = swapOf(intent);
  const withRight = (address: string, isWritable: boolean) =>
    forge(`${address} ${isWritable ? 'may' : 'must not'} be written to`, scenario, {
      instructions: draft.instructions.map((instruction) => ({
        ...instruction,
        accounts: instruction.accounts.map((account) =>
          account.address === address ? { ...account, isWritable } : account,
        ),
      })),
    });
  const named = trade.accounts.slice(0, namedAccounts(trade)).map(({ address }) => address);
  const fixed = [inputMint, outputMint, TOKEN_PROGRAM, JUPITER_EVENT_AUTHORITY];
  const own = [inputMint, outputMint]
    .map((mint) => named.find((address) => address === tokenAccountOf(intent.wallet, mint)))
    .filter((address) => address !== undefined);
  return [
    ...fixed.filter((address) => named.includes(address)).map((address) => withRight(address, true)),
    ...own.map((address) => withRight(address, false)),
  ];
}
