import { NAMED_TOKENS } from '@agent-wallet/kernel';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
} from '@agent-wallet/solana/checks';
import { refuse, type SwapMessage } from '../messages/swap-message.js';
import { JUPITER_EVENT_AUTHORITY } from '../programs.js';
import type { SwapPlan } from './swap-plan.js';

/** Mints of the tokens that every wallet can be expected to hold. */
export const KNOWN_MINTS: readonly string[] = NAMED_TOKENS.map(({ mint }) => mint);

const TOKEN_PROGRAMS: readonly TokenProgram[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

/**
 * Accounts that no instruction writes to. The aggregator may be marked writable where it stands for an absent account.
 */
const NEVER_WRITTEN: readonly string[] = [
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  ...TOKEN_PROGRAMS,
  JUPITER_EVENT_AUTHORITY,
];

/**
 * Looks at every account that the message mentions anywhere, in the venues' part of a route and in lookup tables too.
 * @throws MessageRefused `account`, `lookup_table`, `account_flags`
 */
export function checkMentionedAccounts(message: SwapMessage, plan: SwapPlan): void {
  checkOwnAccounts(message, plan);
  checkFlags(message, plan);
}

/**
 * Checks that the message mentions only three of the wallet's known accounts, in its own bytes: the wallet and the two
 * of this trade. Known are its own address, and its associated accounts of the known tokens and of both sides, under
 * both token programs. A venue borrows the wallet's signature; this stops it from using it on money that is not being
 * traded. An account from a table was not signed by name, so no account of the wallet may come from one.
 */
function checkOwnAccounts({ addresses, ownAddresses }: SwapMessage, plan: SwapPlan): void {
  const { wallet, input, output } = plan;
  const traded = [wallet, input.account, output.account];
  const own = ownAccounts(plan);
  addresses.forEach((address, index) => {
    if (!own.has(address)) return;
    if (!traded.includes(address)) refuse('account', "Another account of the wallet's is mentioned.");
    if (index >= ownAddresses) refuse('lookup_table', "An account of the wallet's comes from a lookup table.");
  });
}

function ownAccounts({ wallet, input, output }: SwapPlan): Set<string> {
  const mints = new Set([...KNOWN_MINTS, input.mint, output.mint]);
  const accounts = [...mints].flatMap((mint) =>
    TOKEN_PROGRAMS.map((tokenProgram) => associatedTokenAddress({ owner: wallet, mint, tokenProgram })),
  );
  return new Set([wallet, ...accounts]);
}

/**
 * Checks that every mentioned account is used by an instruction. The wallet's accounts may be writable where necessary;
 * its mints, the programs and the event authority may not. This stops a venue from minting a token whose authority is
 * the wallet, and a message that no honest builder makes.
 */
function checkFlags({ addresses, writable, instructions, signers }: SwapMessage, plan: SwapPlan): void {
  const used = new Set([...signers.slice(0, 1), ...instructions.flatMap((each) => [each.program, ...each.accounts])]);
  if (addresses.some((address) => !used.has(address))) {
    refuse('account_flags', 'An account is listed that no instruction uses.');
  }
  const { wallet, input, output } = plan;
  const written = [wallet, input.account, output.account].filter((account) => used.has(account));
  const isRight = written.every((account) => writable.has(account));
  if (!isRight || [...NEVER_WRITTEN, input.mint, output.mint].some((address) => writable.has(address))) {
    refuse('account_flags', 'An account may be written to without need, or may not where it must.');
  }
}
