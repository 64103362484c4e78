import type { TransactionInstruction } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/programs.js';
import { key, type Key, keyText } from '../encoding/keys.js';
import type { TokenInfo } from '../tokens/mainnet.js';
import { routeInstruction, type Step } from './aggregator-program.js';
import type { Route, RouteLeg, RouteTerms, RouteUser } from './market.js';
import { programAccountOf } from './pair-accounts.js';
import { outputOf, unmovedOutput } from './path.js';
import type { Share } from './split.js';
import type { Arrival } from './transfer-fee.js';

const WHOLE_BPS = 10_000n;

/** What a route is made of. */
interface RoutePlan {
  readonly input: TokenInfo;
  readonly output: TokenInfo;
  readonly inAmount: bigint;
  readonly shares: readonly Share[];
  /** What of a payment in the output token arrives. */
  readonly arrival: Arrival;
  readonly tables: readonly Key[];
}

/** A route over pools, which knows its own instruction. */
export class PoolRoute implements Route {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly priceImpactPct: number;
  readonly legs: readonly RouteLeg[];
  readonly lookupTables: readonly string[];

  constructor(private readonly plan: RoutePlan) {
    this.inputMint = keyText(plan.input.mint);
    this.outputMint = keyText(plan.output.mint);
    this.inAmount = plan.inAmount;
    this.outAmount = this.arriving(0);
    this.priceImpactPct = impactPct(plan.shares);
    this.legs = plan.shares.flatMap(legsOf);
    this.lookupTables = plan.tables.map(keyText);
  }

  instruction(user: RouteUser, { slippageBps, platformFeeBps }: RouteTerms): TransactionInstruction {
    const { input, output, inAmount, shares } = this.plan;
    const steps = shares.flatMap(stepsOf);
    // Over the program's accounts a transfer fee would be paid twice, so such tokens go to the pools directly.
    const isShared = steps.length > shares.length && input.program === 'token' && output.program === 'token';
    const shared = { source: programAccountOf(input.mint), destination: programAccountOf(output.mint) };
    return routeInstruction({
      wallet: key(user.wallet),
      source: key(user.source),
      destination: key(user.destination),
      sourceMint: input.mint,
      destinationMint: output.mint,
      sourceProgram: programOf(input),
      destinationProgram: programOf(output),
      shared: isShared ? shared : undefined,
      inAmount,
      quotedOutAmount: this.arriving(platformFeeBps),
      slippageBps,
      platformFeeBps,
      steps: steps.map((step) => ({ ...step, outputProgram: this.programOfMint(step.outputMint) })),
    });
  }

  /** What reaches the wallet: each path's output less the platform's fee, then less the mint's own. */
  private arriving(platformFeeBps: number): bigint {
    return this.plan.shares.reduce((sum, { result }) => {
      const output = outputOf(result);
      return sum + this.plan.arrival(output - (output * BigInt(platformFeeBps)) / WHOLE_BPS);
    }, 0n);
  }

  /** Tokens in between are bases, which live under the first token program. */
  private programOfMint(mint: Key): Key {
    return mint === this.plan.output.mint ? programOf(this.plan.output) : TOKEN_PROGRAM;
  }
}

function programOf({ program }: TokenInfo): Key {
  return program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
}

function legsOf({ bps, paid, result }: Share): RouteLeg[] {
  return result.path.map(({ pool, inputMint, outputMint }, index) => ({
    venue: pool.venue.name,
    ammKey: keyText(pool.address),
    inputMint: keyText(inputMint),
    outputMint: keyText(outputMint),
    inAmount: index === 0 ? paid : result.outputs[index - 1]!,
    outAmount: result.outputs[index]!,
    bps: index === 0 ? bps : Number(WHOLE_BPS),
  }));
}

function stepsOf({ bps, result }: Share): Array<Omit<Step, 'outputProgram'> & { outputMint: Key }> {
  return result.path.map(({ pool, inputMint, outputMint }, index) => {
    const isA = inputMint === pool.mintA;
    return {
      swapTag: pool.venue.swapTag,
      bps: index === 0 ? bps : Number(WHOLE_BPS),
      inputIndex: index,
      outputIndex: index + 1,
      outputMint,
      pool: pool.address,
      vaultIn: isA ? pool.vaultA : pool.vaultB,
      vaultOut: isA ? pool.vaultB : pool.vaultA,
    };
  });
}

function impactPct(shares: readonly Share[]): number {
  const moved = shares.reduce((sum, { result }) => sum + Number(outputOf(result)), 0);
  const unmoved = shares.reduce((sum, { result }) => sum + unmovedOutput(result), 0);
  return unmoved === 0 ? 0 : Math.min(0, (moved / unmoved - 1) * 100);
}
