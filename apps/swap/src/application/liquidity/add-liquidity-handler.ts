import { policyV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits, type Clock, type UsdPrice } from '@agent-wallet/kernel';
import {
  requestedAmount,
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
import { isKnown, type UsdPrices } from '@agent-wallet/prices';
import { TOKEN_PROGRAM, tokenAccountBytes } from '@agent-wallet/solana';
import type { AddRequest, LiquidityPlan } from '../../domain/liquidity/liquidity.js';
import { poolErrorOf } from '../../domain/liquidity/pool-errors.js';
import { assertWorth, priceUnavailable, unsupported } from './pool-worth.js';
import { assertSafe } from './pool-safety.js';
import { isNative } from '../../domain/tokens.js';
import type { KnownPools } from '../../ports/pool-directory.js';
import { liquidityFacts, LIQUIDITY_PLANS } from './liquidity-plans.js';
import { arrivedInVaults, rentPaid } from './landed-liquidity.js';
import { buildAndSimulate, checkLamports, programInstructionOf } from './plan-message.js';
import { type Position, type PositionSources, readPosition, rentFor } from './read-position.js';
import { assertFunded, sizeAddition, tooLittle } from './size-addition.js';

/** Dependencies of additions. */
interface AddLiquidityDependencies extends PositionSources {
  readonly prices: UsdPrices;
  readonly clock: Clock;
  readonly known: KnownPools;
}

/** Codec of stored requests. */
const ADD_REQUESTS = requestCodec(
  record<AddRequest>({
    pool: text,
    token: text,
    amount: requestedAmount,
    maxOtherAmount: optional(requestedAmount),
    slippageBps: integer,
  }),
);

/** The addition of both tokens of a pool to it; liquidity tokens come to the wallet. */
export class AddLiquidityHandler implements OperationHandler<AddRequest, LiquidityPlan> {
  readonly action = 'liquidity_add';
  readonly codec = { request: ADD_REQUESTS, plan: LIQUIDITY_PLANS };

  constructor(private readonly dependencies: AddLiquidityDependencies) {}

  spending(): policyV1.Spending {
    return policyV1.Spending.SPENDING_LIQUIDITY_ADD;
  }

  /** Prepares an addition. After an approval its amounts are those that the owner signed. */
  async prepare(input: PreparationInput<AddRequest, LiquidityPlan>): Promise<Preparation<LiquidityPlan>> {
    const { id, agentId, request, plan: asked } = input;
    let plan = asked;
    try {
      const position = await readPosition(this.dependencies, agentId, request.pool);
      await this.dependencies.known.remember(position.pool.lpMint, position.pool.address);
      this.#assertOpen(position);
      position.sides.forEach(assertSafe);
      const { passingRent, lastingRent } = await this.#rent(position);
      plan = asked ? costedAnew(asked, position, lastingRent) : planOf(request, position, { passingRent, lastingRent });
      const spentLamports = plan.sides.find(({ token }) => isNative(token))?.bound ?? 0n;
      checkLamports(position, passingRent + lastingRent + spentLamports);
      assertFunded(plan, position);
      const prices = await this.#prices(position);
      const [side0, side1] = plan.sides;
      const { slippageBps } = request;
      const maxima = [side0!.bound, side1!.bound] as const;
      assertWorth(position.pool, prices, {
        ...{ liquidity: plan.liquidity, maxima, slippageBps },
        tooLittle: (least) => tooLittle(request, position, least),
      });
      return await buildAndSimulate(this.dependencies.chain, id, { direction: this.action, plan, slippageBps });
    } catch (error) {
      if (error instanceof AppError && error.code === 'POLICY_VIOLATION') return { kind: 'impossible', plan, error };
      return refusedPreparation(error, plan);
    }
  }

  describe(request: AddRequest, plan: LiquidityPlan | undefined): OperationDescription {
    return { facts: { $case: 'liquidityAdd', value: liquidityFacts(this.action, request, plan) } };
  }

  /** Returns the amounts that really left, and the rent. @throws Error while the node does not know the transaction */
  async landed(
    _: OperationInput<AddRequest>,
    plan: LiquidityPlan,
    { signature }: Landing,
  ): Promise<Partial<LiquidityPlan> | undefined> {
    const transaction = await this.dependencies.chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    const rentLamports = baseUnits(rentPaid(this.action, plan, transaction));
    return { landed: arrivedInVaults(plan, transaction).map(baseUnits), rentLamports };
  }

  explainFailure({ request }: OperationInput<AddRequest>, plan: LiquidityPlan, { error }: Failure) {
    const { pool, slippageBps } = request;
    const found = poolErrorOf(error, { instruction: programInstructionOf(this.action, plan), pool, slippageBps });
    return found?.code === 'VALIDATION_ERROR' ? undefined : found;
  }

  #assertOpen({ pool }: Position): void {
    const { address, isDepositOpen, openTimeSeconds } = pool;
    if (!isDepositOpen) throw new AppError('POOL_PAUSED', { data: { pool: address } });
    if (openTimeSeconds * 1_000n > BigInt(this.dependencies.clock.nowMs())) throw unsupported(address, 'not_open');
  }

  /**
   * @throws AppError POOL_NOT_SUPPORTED where a token has no price, POLICY_VIOLATION where it has none at present; those of
   *   the price API
   */
  async #prices({ pool }: Position): Promise<readonly [UsdPrice, UsdPrice]> {
    const found = await this.dependencies.prices.prices(pool.sides.map(({ mint }) => mint));
    const price = ({ mint, decimals }: Position['pool']['sides'][number]): UsdPrice => {
      const answer = found.get(mint);
      if (answer && !isKnown(answer) && answer.unavailable === 'stale') throw priceUnavailable();
      if (!isKnown(answer) || answer.decimals !== decimals) throw unsupported(pool.address, 'unpriced');
      return answer.price;
    };
    return [price(pool.sides[0]), price(pool.sides[1])];
  }

  /** Returns the lamports for new accounts: that of the liquidity tokens stays, that of wrapped SOL is closed again. */
  async #rent({ sides, liquidityAccount }: Position) {
    const bytes = tokenAccountBytes({ tokenProgram: TOKEN_PROGRAM, extensions: [] });
    const rent = await this.dependencies.chain.rentExemptMinimumLamports(bytes);
    const native = sides.find(({ token }) => isNative(token));
    return { passingRent: native ? rentFor(native, rent) : 0n, lastingRent: rentFor(liquidityAccount, rent) };
  }
}

function planOf(
  request: AddRequest,
  position: Position,
  { passingRent, lastingRent }: { readonly passingRent: bigint; readonly lastingRent: bigint },
): LiquidityPlan {
  const { wallet, pool } = position;
  const { liquidity, sides } = sizeAddition(request, position, passingRent + lastingRent);
  return {
    ...{ wallet, pool: pool.address, config: pool.config, lpMint: pool.lpMint, sides },
    liquidity: baseUnits(liquidity),
    ...costsOf(position, lastingRent),
  };
}

/** Returns a plan with its costs as they are now: an owner may sign hours after it was asked. */
function costedAnew({ unwrapped: _, ...plan }: LiquidityPlan, position: Position, lastingRent: bigint): LiquidityPlan {
  return { ...plan, ...costsOf(position, lastingRent) };
}

function costsOf(
  position: Position,
  lastingRent: bigint,
): Pick<LiquidityPlan, 'feeLamports' | 'held' | 'rentLamports' | 'unwrapped'> {
  const { liquidity, wrapped, networkFeeLamports } = position;
  const feeLamports = baseUnits(networkFeeLamports);
  const costs = { feeLamports, held: baseUnits(liquidity), rentLamports: baseUnits(lastingRent) };
  return wrapped ? { ...costs, unwrapped: wrapped } : costs;
}
