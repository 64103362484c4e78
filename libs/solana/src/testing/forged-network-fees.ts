import { ComputeBudgetProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { compile, CORPUS_LIMITS, type Forgery, honestInstructions } from './forgery.js';
import { payerOf, type Scenario } from './scenarios.js';

const LAMPORTS_PER_SIGNATURE = 5_000n;

/** Messages that let the network take more than the corpus's limit, or than the sponsor's, or an amount not stated. */
export function forgedNetworkFees(scenario: Scenario): Forgery[] {
  const rest = honestInstructions({ ...scenario, computeUnitPriceMicroLamports: 0n }).slice(1);
  const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
  const price = (microLamports: bigint) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
  const forgery = (name: string, budget: TransactionInstruction[]): Forgery => ({
    name,
    message: compile(new PublicKey(payerOf(scenario)), [...budget, ...rest]),
  });
  const { maxNetworkFeeLamports: ofSponsor } = scenario.intent;
  const left =
    ofSponsor === undefined
      ? CORPUS_LIMITS.maxNetworkFeeLamports - LAMPORTS_PER_SIGNATURE
      : ofSponsor - 2n * LAMPORTS_PER_SIGNATURE;
  return [
    forgery('no limit of compute units', []),
    forgery('a price without a limit', [price(1n)]),
    forgery('a price before the limit', [price(1n), limit(1_000)]),
    forgery('a network fee of one lamport too much', [limit(1_000_000), price(left + 1n)]),
    forgery('a network fee too high by a fraction of a lamport', [limit(1_000_001), price(left > 0n ? left : 1n)]),
    forgery('the highest price there is', [limit(1), price(2n ** 64n - 1n)]),
    forgery('the highest limit there is', [limit(2 ** 32 - 1)]),
    forgery('a limit above the chain’s', [limit(1_400_001)]),
    forgery('two limits', [limit(1_000), limit(1_000)]),
    forgery('two prices', [limit(1_000), price(1n), price(1n)]),
  ];
}
