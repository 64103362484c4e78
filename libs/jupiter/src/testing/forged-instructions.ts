import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana/checks';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM, PROGRAM_AUTHORITIES } from '../programs.js';
import { MAKER, THIEF, UNKNOWN_PROGRAM, walletOf } from './actors.js';
import type { DraftInstruction } from './draft.js';
import { foreignInstructions } from './foreign-instructions.js';
import { forge, type Forgery, tradeAt, withSwap } from './forgery.js';
import { transfer, unitLimit } from './instructions.js';
import { type Scenario, swapOf } from './scenarios.js';

/** Messages with an instruction too many, too few, in the wrong place, or of another program; and with other payers. */
export function forgedInstructions(scenario: Scenario): Forgery[] {
  const { instructions } = scenario.draft;
  const at = tradeAt(scenario);
  const forgery = (name: string, changed: readonly DraftInstruction[]) =>
    forge(name, scenario, { instructions: changed });
  const trade = instructions[at]!;
  const others = instructions.toSpliced(at, 1);
  return [
    ...Object.entries(foreignInstructions(scenario)).flatMap(([name, foreign]) => [
      forgery(`${name} at the front`, [foreign, ...instructions]),
      forgery(`${name} before the trade`, instructions.toSpliced(at, 0, foreign)),
      forgery(`${name} after the trade`, instructions.toSpliced(at + 1, 0, foreign)),
      forgery(`${name} at the end`, [...instructions, foreign]),
      ...(foreign === trade ? [] : [forgery(`${name} instead of the trade`, instructions.with(at, foreign))]),
    ]),
    ...instructions.flatMap((instruction, i) => [
      ...(isNeeded(scenario, instruction) ? [forgery(`without instruction ${i}`, instructions.toSpliced(i, 1))] : []),
      forgery(`instruction ${i} twice`, instructions.toSpliced(i, 0, instruction)),
      forgery(`instruction ${i} again at the end`, [...instructions, instruction]),
      ...otherPrograms(instruction).map(({ program, changed }) =>
        forgery(`instruction ${i} of program ${program}`, instructions.with(i, changed)),
      ),
    ]),
    forgery('in reverse', [...instructions].reverse()),
    forgery('the trade first', [trade, ...others]),
    ...(at < instructions.length - 1 && instructions.at(-1)!.program === TOKEN_PROGRAM
      ? [forgery('the trade last', [...others, trade])]
      : []),
    forgery('no instruction', []),
    forgery('nothing but a limit', [unitLimit(1)]),
    ...forgedPayers(scenario),
    ...roomyIntents(scenario),
  ];
}

/**
 * Reports whether an instruction is required. Creating an existing account at the wallet's expense, and offering a price or
 * a tip, are not.
 */
function isNeeded({ intent }: Scenario, { program, data }: DraftInstruction): boolean {
  if (program === COMPUTE_BUDGET_PROGRAM) return data[0] === 2;
  if (program === ASSOCIATED_TOKEN_PROGRAM && intent.sponsor !== undefined) return true;
  return program !== ASSOCIATED_TOKEN_PROGRAM && !(program === SYSTEM_PROGRAM && data.readBigUInt64LE(4) === 40_000n);
}

const PROGRAMS = [
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  UNKNOWN_PROGRAM,
];

function otherPrograms(instruction: DraftInstruction): { program: string; changed: DraftInstruction }[] {
  return PROGRAMS.filter((program) => program !== instruction.program).map((program) => ({
    program,
    changed: { ...instruction, program },
  }));
}

function forgedPayers(scenario: Scenario): Forgery[] {
  const { intent, draft } = scenario;
  const { wallet } = intent;
  const gasWallet = 'gasTzr94Pmp4Gf8vknQnqxeYxdgwFjbgdJa4msYRpnB';
  const inPlaceOf = (from: string, to: string) => ({
    payer: draft.payer === from ? to : draft.payer,
    instructions: draft.instructions.map((instruction) => ({
      ...instruction,
      accounts: instruction.accounts.map((account) =>
        account.address === from ? { ...account, address: to } : account,
      ),
    })),
  });
  const payers = [THIEF, gasWallet, MAKER, wallet].filter((payer) => payer !== draft.payer);
  return [
    ...payers.map((payer) => forge(`paid by ${payer}`, scenario, { payer })),
    forge('a thief trades', scenario, inPlaceOf(wallet, THIEF)),
    forge('a stranger trades, the wallet pays', scenario, {
      ...inPlaceOf(wallet, walletOf('stranger')),
      payer: wallet,
    }),
    ...(swapOf(intent).cosigner === undefined ? [] : [forge('another maker', scenario, inPlaceOf(MAKER, THIEF))]),
  ];
}

/** Returns forgeries under intents with room for their faults, so that no other rule can find them. */
function roomyIntents(scenario: Scenario): Forgery[] {
  const { intent, draft } = scenario;
  const { cosigner, maxNetworkLamports } = swapOf(intent);
  const tip = transfer(intent.sponsor ?? intent.wallet, PROGRAM_AUTHORITIES[2]!, 1n);
  const withRoom = (lamports: bigint) => ({
    ...withSwap(intent, { maxNetworkLamports: lamports }),
    ...(intent.sponsor === undefined ? {} : { maxNetworkFeeLamports: lamports }),
  });
  const roomy = { ...scenario, intent: withRoom(maxNetworkLamports + 2n) };
  const tipped = (name: string, tips: DraftInstruction[]) =>
    forge(name, roomy, { instructions: [...draft.instructions, ...tips] });
  if (cosigner !== undefined) return [tipped('a tip beside a fill', [tip])];
  const withMaker = { ...scenario, intent: withSwap(intent, { cosigner: MAKER, maxNetworkLamports: 90_000n }) };
  return [
    tipped('two tips', [tip, tip]),
    forge('a route that a maker signs', withMaker, { payer: MAKER }),
    ...(intent.sponsor === undefined
      ? []
      : [
          tipped("a tip of the wallet's", [transfer(intent.wallet, PROGRAM_AUTHORITIES[2]!, 1n)]),
          tipped('one lamport more for the sponsor', [transfer(intent.wallet, intent.sponsor, 1n)]),
          tipped('SOL of the sponsor for the wallet', [transfer(intent.sponsor, intent.wallet, 1n)]),
          tipped('SOL of the sponsor for a thief', [transfer(intent.sponsor, THIEF, 1n)]),
        ]),
  ];
}
