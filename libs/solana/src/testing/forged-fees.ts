import { ComputeBudgetProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { compile, type Forgery, honestInstructions } from './forgery.js';
import type { Scenario } from './scenarios.js';

/** Messages that let the network take more than the corpus's limit of 100 000 lamports, or an amount not stated. */
export function forgedFees(scenario: Scenario): Forgery[] {
  const wallet = new PublicKey(scenario.intent.wallet);
  const transfer = honestInstructions({ ...scenario, computeUnitPriceMicroLamports: 0n }).slice(1);
  const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
  const price = (microLamports: bigint) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
  const forgery = (name: string, budget: TransactionInstruction[]): Forgery => ({
    name,
    message: compile(wallet, [...budget, ...transfer]),
  });
  return [
    forgery('no limit of compute units', []),
    forgery('a price without a limit', [price(1n)]),
    forgery('a price before the limit', [price(1n), limit(1_000)]),
    forgery('a fee of one lamport too much', [limit(1_000_000), price(95_001n)]),
    forgery('a fee too high by a fraction of a lamport', [limit(1_000_001), price(95_000n)]),
    forgery('the highest price there is', [limit(1), price(2n ** 64n - 1n)]),
    forgery('the highest limit there is', [limit(2 ** 32 - 1)]),
    forgery('a limit above the chain’s', [limit(1_400_001)]),
    forgery('two limits', [limit(1_000), limit(1_000)]),
    forgery('two prices', [limit(1_000), price(1n), price(1n)]),
  ];
}
