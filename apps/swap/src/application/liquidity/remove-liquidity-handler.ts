import { policyV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits, formatAmount, LP_DECIMALS } from '@agent-wallet/kernel';
import {
  amountOf,
  type Failure,
  integer,
  type Landing,
  type OperationDescription,
  type OperationHandler,
  type OperationInput,
  optional,
  type Preparation,
  type PreparationInput,
  record,
  refusedPreparation,
  requestCodec,
  text,
} from '@agent-wallet/operations';
import { amountsToRemove, leastWithin, tokenAccountBytes, withheldOf } from '@agent-wallet/solana';
import { type LiquidityPlan, type PlannedSide, type RemoveRequest, shareOf } from '../../domain/liquidity/liquidity.js';
import { poolErrorOf } from '../../domain/liquidity/pool-errors.js';
import { isNative } from '../../domain/tokens.js';
import { arrivedInWallet, remainingAfter, rentPaid } from './landed-liquidity.js';
import { liquidityFacts, LIQUIDITY_PLANS } from './liquidity-plans.js';
import { buildAndSimulate, checkLamports, programInstructionOf } from './plan-message.js';
import { assertNotFrozen } from './pool-safety.js';
import { type HeldSide, type Position, type PositionSources, readPosition, rentFor } from './read-position.js';

/** Codec of stored requests. */
const REMOVE_REQUESTS = requestCodec(
  record<RemoveRequest>({
    pool: text,
    percentBps: optional(integer),
    liquidity: optional(amountOf(baseUnits)),
    slippageBps: integer,
  }),
);

/**
 * Liquidity tokens of the wallet go back to their pool, and both of its tokens come to the wallet. No price and no rule for
 * tokens stands in the way: what was put in must come out again.
 */
export class RemoveLiquidityHandler implements OperationHandler<RemoveRequest, LiquidityPlan> {
  readonly action = 'liquidity_remove';
  readonly codec = { request: REMOVE_REQUESTS, plan: LIQUIDITY_PLANS };

  constructor(private readonly dependencies: PositionSources) {}

  spending(): policyV1.Spending {
    return policyV1.Spending.SPENDING_LIQUIDITY_REMOVE;
  }

  async prepare(input: PreparationInput<RemoveRequest, LiquidityPlan>): Promise<Preparation<LiquidityPlan>> {
    const { id, agentId, request } = input;
    let plan: LiquidityPlan | undefined;
    try {
      const position = await readPosition(this.dependencies, agentId, request.pool);
      const { pool } = position;
      if (!pool.isWithdrawalOpen) throw new AppError('POOL_PAUSED', { data: { pool: pool.address } });
      const { passingRent, lastingRent } = await this.#rent(position);
      position.sides.forEach(assertNotFrozen);
      plan = planOf(request, position, lastingRent);
      checkLamports(position, passingRent + lastingRent);
      const { slippageBps } = request;
      return await buildAndSimulate(this.dependencies.chain, id, { direction: this.action, plan, slippageBps });
    } catch (error) {
      return refusedPreparation(error, plan);
    }
  }

  describe(request: RemoveRequest, plan: LiquidityPlan | undefined): OperationDescription {
    return { facts: { $case: 'liquidityRemove', value: liquidityFacts(this.action, request, plan) } };
  }

  /** Returns the amounts that really arrived, the rent, and what was held. @throws Error while the node does not know the transaction */
  async landed(
    _: OperationInput<RemoveRequest>,
    plan: LiquidityPlan,
    { signature }: Landing,
  ): Promise<Partial<LiquidityPlan> | undefined> {
    const transaction = await this.dependencies.chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    return {
      landed: arrivedInWallet(plan, transaction).map(baseUnits),
      rentLamports: baseUnits(rentPaid(this.action, plan, transaction)),
      // Another removal may have landed since the plan was made.
      held: baseUnits(remainingAfter(plan, transaction) + plan.liquidity),
    };
  }

  explainFailure({ request }: OperationInput<RemoveRequest>, plan: LiquidityPlan, { error }: Failure) {
    const { pool, slippageBps } = request;
    const found = poolErrorOf(error, { instruction: programInstructionOf(this.action, plan), pool, slippageBps });
    return found?.code === 'VALIDATION_ERROR' ? undefined : found;
  }

  /** Returns the lamports for new accounts of the tokens: those that stay, and that of wrapped SOL. */
  async #rent({ sides }: Position) {
    const rents = await Promise.all(
      sides.map(async (side) =>
        side.hasAccount
          ? 0n
          : rentFor(side, await this.dependencies.chain.rentExemptMinimumLamports(tokenAccountBytes(side.mint))),
      ),
    );
    const sum = (isPassing: boolean) =>
      rents.reduce((all, rent, i) => (isNative(sides[i]!.token) === isPassing ? all + rent : all), 0n);
    return { passingRent: sum(true), lastingRent: sum(false) };
  }
}

function planOf(request: RemoveRequest, position: Position, lastingRent: bigint): LiquidityPlan {
  const { wallet, pool, wrapped, sides } = position;
  const liquidity = liquidityOf(request, position);
  const paid = amountsToRemove(liquidity, pool);
  const planned = sides.map((side, i) => plannedSide(side, paid[i]!, request));
  return {
    ...{ wallet, pool: pool.address, config: pool.config, lpMint: pool.lpMint, sides: planned },
    liquidity: baseUnits(liquidity),
    held: baseUnits(position.liquidity),
    rentLamports: baseUnits(lastingRent),
    feeLamports: baseUnits(position.networkFeeLamports),
    ...(wrapped ? { unwrapped: wrapped } : {}),
  };
}

/** @throws AppError INSUFFICIENT_POSITION, VALIDATION_ERROR for a share of nothing */
function liquidityOf({ percentBps, liquidity }: RemoveRequest, { pool, liquidity: held }: Position): bigint {
  const asked = percentBps === undefined ? liquidity! : shareOf(held, percentBps);
  if (held === 0n || asked > held) {
    throw new AppError('INSUFFICIENT_POSITION', {
      message: insufficientPosition(asked, held),
      data: { positionId: pool.address, requestedRaw: String(asked), availableRaw: String(held) },
    });
  }
  if (asked === 0n)
    throw AppError.field('percent', 'is less than one base unit of the position. Remove more.', 'out_of_range');
  return asked;
}

function insufficientPosition(asked: bigint, held: bigint): string {
  if (held === 0n) return 'The wallet has no position in this pool. Choose one of GET /liquidity/positions.';
  const [requested, available] = [asked, held].map((units) => formatAmount(units, LP_DECIMALS));
  return `Insufficient position: ${requested} liquidity tokens requested, ${available} available. Remove less.`;
}

/** Returns a side after the mint's own fee, the higher one where a change is coming. */
function plannedSide({ token, mint }: HeldSide, paid: bigint, request: RemoveRequest): PlannedSide {
  const fees = mint.transferFee ? [mint.transferFee.older, mint.transferFee.newer] : [];
  const withheld = fees.reduce((most, fee) => (withheldOf(fee, paid) > most ? withheldOf(fee, paid) : most), 0n);
  const quoted = paid - withheld;
  if (quoted <= 0n) {
    const field = request.percentBps === undefined ? 'liquidityRaw' : 'percent';
    throw AppError.field(field, 'is too small: one of the tokens would round to 0. Remove more.', 'out_of_range');
  }
  return { token, quoted: baseUnits(quoted), bound: baseUnits(leastWithin(quoted, request.slippageBps)) };
}
