import type { intentV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { minimumOutput } from '../messages/read-route.js';
import { MAKER, OTHER_MINT, SPONSOR, THIEF, tokenAccountOf } from './actors.js';
import { compile } from './draft.js';
import { type Forgery, withSwap } from './forgery.js';
import { type Scenario, swapOf } from './scenarios.js';

/** Returns honest messages under intents that differ from them, or are invalid. */
export function changedIntents({ draft, intent }: Scenario): Forgery[] {
  const compiled = compile(draft);
  const swap = swapOf(intent);
  const others: Partial<intentV1.Intent>[] = [
    { action: undefined },
    { action: { $case: 'unwrap', value: { amount: 1n, remainder: 0n } } },
    ...[THIEF, '', 'x', tokenAccountOf(intent.wallet, OTHER_MINT), TOKEN_PROGRAM].map((wallet) => ({ wallet })),
    { sponsor: THIEF, maxNetworkFeeLamports: 100_000n },
    { sponsor: THIEF },
    { maxNetworkFeeLamports: 100_000n },
    ...(intent.sponsor === undefined
      ? [{ sponsor: SPONSOR, maxNetworkFeeLamports: swap.maxNetworkLamports }]
      : [
          { sponsor: undefined, maxNetworkFeeLamports: undefined },
          { maxNetworkFeeLamports: undefined },
          { maxNetworkFeeLamports: swap.maxNetworkLamports + 1n },
          ...[intent.wallet, swap.inputMint, tokenAccountOf(intent.sponsor, swap.inputMint), 'x', ''].map(
            (sponsor) => ({
              sponsor,
            }),
          ),
        ]),
  ];
  return [
    ...others.map((change) => ({ name: nameOf(change), ...compiled, intent: { ...intent, ...change } })),
    ...changes(intent.wallet, swap).map((change) => ({
      name: nameOf(change),
      ...compiled,
      intent: withSwap(intent, change),
    })),
  ];
}

function nameOf(change: object): string {
  const text = (value: unknown) => (value === undefined ? 'unset' : JSON.stringify(value, write));
  return `an intent with ${Object.entries(change)
    .map(([field, value]) => `${field} ${text(value)}`)
    .join(', ')}`;
}

const write = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' || Number.isNaN(value) ? String(value) : value;

function changes(wallet: string, swap: intentV1.Swap): Partial<intentV1.Swap>[] {
  const { inputMint, outputMint, inputAmount, quotedOutputAmount, minOutputAmount, slippageBps } = swap;
  const { platformFeeBps, cosigner, maxNetworkLamports } = swap;
  const other = (program: string) => (program === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  const amounts = (amount: bigint) => [0n, -1n, amount - 1n, amount + 1n, amount * 2n, 2n ** 64n];
  const isFill = cosigner !== undefined;
  return [
    ...[OTHER_MINT, '', 'x', outputMint, wallet].map((mint) => ({ inputMint: mint })),
    ...[OTHER_MINT, '', 'x', inputMint, wallet].map((mint) => ({ outputMint: mint })),
    ...[other(swap.inputTokenProgram), THIEF, ''].map((program) => ({ inputTokenProgram: program })),
    ...[other(swap.outputTokenProgram), THIEF, ''].map((program) => ({ outputTokenProgram: program })),
    { inputMint: outputMint, outputMint: inputMint },
    ...[-1, 256, 1.5, Number.NaN].map((inputDecimals) => ({ inputDecimals })),
    ...amounts(inputAmount).map((amount) => ({ inputAmount: amount })),
    ...amounts(quotedOutputAmount).map((amount) => ({ quotedOutputAmount: amount })),
    ...[0n, -1n, minOutputAmount + 1n, quotedOutputAmount, 2n ** 64n].map((amount) => ({ minOutputAmount: amount })),
    // The price of a fill is fixed, so any slippage that is allowed is kept.
    ...[-1, 5_001, 10_000, 1.5, Number.NaN].map((bps) => ({ slippageBps: bps, minOutputAmount: 1n })),
    ...(isFill ? [] : [0, 49, 51, 5_000].map((bps) => ({ slippageBps: bps, minOutputAmount: 1n }))),
    { slippageBps: slippageBps + 1, minOutputAmount: minimumOutput(quotedOutputAmount, slippageBps) },
    ...[-1, 256, 1.5, ...(platformFeeBps > 0 ? [platformFeeBps - 1, 0] : [])].map((bps) => ({ platformFeeBps: bps })),
    ...[-1n, 2n ** 64n, ...(isFill ? [] : [0n, maxNetworkLamports - 1n])].map((max) => ({ maxNetworkLamports: max })),
    ...[0, 31, 33].map((length) => ({ resolvedAddressesHash: Buffer.alloc(length) })),
    { resolvedAddressesHash: Buffer.alloc(32) },
    ...[wallet, inputMint, tokenAccountOf(THIEF, inputMint), THIEF, 'x', ''].map((maker) => ({ cosigner: maker })),
    isFill ? { cosigner: undefined } : { cosigner: MAKER },
    ...[swap.returnedRentLamports ?? 0n, 0n, -1n, 2n ** 64n, 2_039_280n]
      .flatMap((lamports) => [lamports - 1n, lamports, lamports + 1n])
      .filter((lamports, i, all) => lamports !== swap.returnedRentLamports && all.indexOf(lamports) === i)
      .map((lamports) => ({ returnedRentLamports: lamports })),
    ...(swap.returnedRentLamports === undefined ? [] : [{ returnedRentLamports: undefined }]),
  ];
}
