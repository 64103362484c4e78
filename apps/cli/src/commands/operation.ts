import type { AgentWallet, components, OperationOptions } from '@agent-wallet/sdk';
import { type Args, flag, given, optionalText } from '../args.js';
import { type Context, lostResult } from '../context.js';
import { EXITS } from '../exit-codes.js';
import { type Entries, exactAmount, pairs, type View } from '../view.js';

/** Options that every operation has. */
export const OPERATION_OPTIONS = { key: 'Your own idempotency key, such as the number of an invoice' };
export const OPERATION_FLAGS = { 'dry-run': 'Show what would happen, without effect' };

type DryRunResult = components['schemas']['DryRun'];

/** Ways to run one order, each of which prints its result. */
interface Ways {
  readonly dryRun: (wallet: AgentWallet) => Promise<DryRunResult>;
  /** Returns the exit code, of an end that is not `done`. */
  readonly run: (wallet: AgentWallet, options: OperationOptions) => Promise<number | void>;
}

/** Runs an order, or its dry run. @returns the exit code */
export async function operation(context: Context, args: Args, { dryRun, run }: Ways): Promise<number> {
  let exitCode: number = EXITS.done.code;
  if (flag(args, 'dry-run')) {
    const { policy } = await dryRun(context.wallet());
    return policy.allowed ? EXITS.done.code : EXITS.policy.code;
  }
  const key = optionalText(args, 'key');
  await context.operate(async (wallet, options) => {
    exitCode = (await run(wallet, { ...options, ...given({ key }) })) ?? exitCode;
  });
  return exitCode;
}

/** Prints the result of an operation. @throws UnwrittenError */
export async function printed<Result extends object>(
  { output }: Context,
  result: Result,
  entriesOf: (result: Result, view: View) => Entries,
): Promise<void> {
  const { transactionId, explorerUrl } = result as { transactionId?: string; explorerUrl?: string | null };
  await output.effect(
    result,
    (view) => pairs([...entriesOf(result, view), ['Transaction', transactionId], ['Explorer', explorerUrl]]),
    lostResult(transactionId),
  );
}

/** Returns the lines of a dry run: what would happen, and what the policy says. */
export function dryRunLines(result: DryRunResult, { usd }: View, entries: Entries): string {
  const { policy, balanceChanges, sponsored, networkFeeLamports } = result;
  const changes = balanceChanges.map(
    ({ amountRaw, decimals, symbol }) => `${exactAmount(String(amountRaw), decimals)} ${symbol}`,
  );
  const { maxAmountNow } = policy;
  const most = maxAmountNow === null ? usd(policy.maxAllowedNowUsd) : `an amount of ${maxAmountNow}`;
  const refusal = `refused by ${policy.rule}, at most ${most} now`;
  const verdict = policy.approvalRequired ? 'the owner must approve' : 'allowed';
  return pairs([
    ['Dry run', 'nothing has moved'],
    ...entries,
    ['Balance changes', changes.join(', ')],
    ['Network fee', sponsored ? 'paid by the service' : `${exactAmount(String(networkFeeLamports), 9)} SOL`],
    ['Policy', policy.allowed ? verdict : refusal],
  ]);
}
