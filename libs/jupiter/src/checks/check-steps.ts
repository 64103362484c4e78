import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { tipOf, type Trade } from '../messages/read-trade.js';
import { refuse, type SwapInstruction } from '../messages/swap-message.js';
import type { SwapPlan, SwapSide } from './swap-plan.js';

/** An instruction that may stand beside the trade, byte for byte. */
interface Step extends SwapInstruction {
  readonly isNeeded: boolean;
}

const CREATE_IDEMPOTENT = Buffer.of(1);
const CLOSE_ACCOUNT = Buffer.of(9);
const SYNC_NATIVE = Buffer.of(17);
const SYSTEM_TRANSFER = 2;

/**
 * Checks that only these instructions accompany compute budget and trade, each at most once, with exactly these
 * accounts and data. Before the trade, the wallet's own account for wrapped SOL or for the output is created at its
 * expense. Then exactly the input is wrapped and synced. After the trade, wrapped SOL is closed to the wallet. A tip to
 * the aggregator may stand on one side. A native coin is wrapped and unwrapped wherever there is one, and nowhere else.
 * A sponsor creates the account for wrapped SOL only where the wallet returns the rent once the account is closed.
 *
 * This stops every top-level theft: transfers of coins and tokens, delegates, other authorities or closers, accounts
 * created at the wallet's expense for others, closing to others. It also stops nonces that delay the message, memos,
 * and unknown programs.
 * @throws MessageRefused `program`, `instruction`
 */
export function checkSteps({ before, after }: Trade, plan: SwapPlan): void {
  const tips = [...before, ...after].filter((instruction) => isTip(instruction, plan));
  if (tips.length > 1) refuse('instruction', 'There is more than one tip.');
  const withoutTip = (instructions: readonly SwapInstruction[]) =>
    instructions.filter((instruction) => !tips.includes(instruction));
  checkSequence(withoutTip(before), stepsBefore(plan));
  checkSequence(withoutTip(after), stepsAfter(plan));
}

/** Reports whether an instruction is a tip. In a fill the maker pays the network, without a tip. */
function isTip(instruction: SwapInstruction, { wallet, sponsor, cosigner }: SwapPlan): boolean {
  const payer = sponsor ?? wallet;
  return cosigner === undefined && instruction.accounts[0] === payer && tipOf(instruction) !== undefined;
}

/** Checks that each step occurs at most once, the required ones in their order, and others anywhere among them. */
function checkSequence(actual: readonly SwapInstruction[], steps: readonly Step[]): void {
  const found = actual.map((instruction) => {
    const index = steps.findIndex((step) => isSame(step, instruction));
    if (index < 0 && !PROGRAMS.has(instruction.program)) refuse('program', 'A program is called without need.');
    if (index < 0) refuse('instruction', 'There is an instruction that the swap does not need.');
    return index;
  });
  if (new Set(found).size !== found.length) refuse('instruction', 'An instruction stands twice.');
  const needed = steps.flatMap(({ isNeeded }, index) => (isNeeded ? index : []));
  if (found.filter((index) => steps[index]!.isNeeded).join() !== needed.join()) {
    refuse('instruction', 'An instruction is missing, or stands in the wrong place.');
  }
}

const PROGRAMS = new Set<string>([ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM]);

/** Returns the steps before the trade. A fill takes and gives the native coin itself. */
function stepsBefore(plan: SwapPlan): Step[] {
  const { wallet, sponsor, input, output, inputAmount, cosigner, returnedRentLamports } = plan;
  if (sponsor !== undefined) return returnedRentLamports ? [{ ...creation(plan, output), isNeeded: true }] : [];
  const isFill = cosigner !== undefined;
  const wrapping = input.isNative && !isFill;
  return [
    ...(wrapping ? [creation(plan, input), transfer(wallet, input.account, inputAmount), syncing(input)] : []),
    ...(output.isNative && isFill ? [] : [creation(plan, output)]),
  ];
}

function stepsAfter(plan: SwapPlan): Step[] {
  const { wallet, sponsor, input, output, cosigner, returnedRentLamports } = plan;
  if (cosigner !== undefined) return [];
  const closings = [input, output].filter(({ isNative }) => isNative).map(({ account }) => closing(wallet, account));
  if (sponsor === undefined || returnedRentLamports === undefined) return closings;
  return [...closings, transfer(wallet, sponsor, returnedRentLamports)];
}

function creation({ wallet, sponsor }: SwapPlan, { account, mint, tokenProgram }: SwapSide): Step {
  const accounts = [sponsor ?? wallet, account, wallet, mint, SYSTEM_PROGRAM, tokenProgram];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: CREATE_IDEMPOTENT, isNeeded: false };
}

function transfer(from: string, to: string, lamports: bigint): Step {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER);
  data.writeBigUInt64LE(lamports, 4);
  return { program: SYSTEM_PROGRAM, accounts: [from, to], data, isNeeded: true };
}

function syncing({ account }: SwapSide): Step {
  return { program: TOKEN_PROGRAM, accounts: [account], data: SYNC_NATIVE, isNeeded: true };
}

function closing(wallet: string, account: string): Step {
  return { program: TOKEN_PROGRAM, accounts: [account, wallet, wallet], data: CLOSE_ACCOUNT, isNeeded: true };
}

function isSame(a: SwapInstruction, b: SwapInstruction): boolean {
  return (
    a.program === b.program &&
    a.accounts.length === b.accounts.length &&
    a.accounts.every((account, i) => account === b.accounts[i]) &&
    a.data.equals(b.data)
  );
}
