import { policyV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits, type Clock, NAMED_TOKENS, type UsdPrice } from '@agent-wallet/kernel';
import {
  decimalAmount,
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
import { assertWorth, unsupported } from './pool-worth.js';
import { assertMovable } from '../../domain/token-warnings.js';
import { isNative } from '../../domain/tokens.js';
import type { KnownPools } from '../../ports/pool-directory.js';
import { describeLiquidity, LIQUIDITY_PLANS } from './liquidity-plans.js';
import { arrivedInVaults } from './landed-liquidity.js';
import { buildAndSimulate, checkLamports, NETWORK_FEE_LAMPORTS, programInstructionOf } from './plan-message.js';
import { type HeldSide, type Position, type PositionSources, readPosition } from './read-position.js';
import { sizeAddition } from './size-addition.js';

/** Dependencies of additions. */
export interface AddLiquidityDependencies extends PositionSources {
  readonly prices: UsdPrices;
  readonly clock: Clock;
  readonly known: KnownPools;
}

/** Codec of stored requests. */
const ADD_REQUESTS = requestCodec(
  record<AddRequest>({
    pool: text,
    token: text,
    amount: decimalAmount,
    maxOtherAmount: optional(decimalAmount),
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
      plan = asked ?? planOf(request, position, { passingRent, lastingRent });
      const spentLamports = plan.sides.find(({ token }) => isNative(token))?.bound ?? 0n;
      checkLamports(position, passingRent + lastingRent + spentLamports);
      const prices = await this.#prices(position);
      const [side0, side1] = plan.sides;
      const { slippageBps } = request;
      const maxima = [side0!.bound, side1!.bound] as const;
      assertWorth(position.pool, prices, { liquidity: plan.liquidity, maxima, slippageBps });
      return await buildAndSimulate(this.dependencies.chain, id, { direction: this.action, plan, slippageBps });
    } catch (error) {
      return refusedPreparation(error, plan);
    }
  }

  describe(request: AddRequest, plan: LiquidityPlan | undefined): OperationDescription {
    return describeLiquidity(request, plan);
  }

  /** Returns the amounts that really left. @throws Error while the node does not know the transaction */
  async landed(
    _: OperationInput<AddRequest>,
    plan: LiquidityPlan,
    { signature }: Landing,
  ): Promise<Partial<LiquidityPlan> | undefined> {
    const transaction = await this.dependencies.chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    return { landed: arrivedInVaults(plan, transaction).map(baseUnits) };
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

  /** @throws AppError POOL_NOT_SUPPORTED where a price is missing; those of the price API */
  async #prices({ pool }: Position): Promise<readonly [UsdPrice, UsdPrice]> {
    const found = await this.dependencies.prices.prices(pool.sides.map(({ mint }) => mint));
    const price = ({ mint, decimals }: Position['pool']['sides'][number]): UsdPrice => {
      const answer = found.get(mint);
      if (!isKnown(answer) || answer.decimals !== decimals) throw unsupported(pool.address, 'unpriced');
      return answer.price;
    };
    return [price(pool.sides[0]), price(pool.sides[1])];
  }

  /** Returns the lamports for new accounts: that of the liquidity tokens stays, that of wrapped SOL is closed again. */
  async #rent({ sides, hasLiquidityAccount }: Position) {
    const bytes = tokenAccountBytes({ tokenProgram: TOKEN_PROGRAM, extensions: [] });
    const rent = await this.dependencies.chain.rentExemptMinimumLamports(bytes);
    const wraps = sides.some(({ token, hasAccount }) => isNative(token) && !hasAccount);
    return { passingRent: wraps ? rent : 0n, lastingRent: hasLiquidityAccount ? 0n : rent };
  }
}

function planOf(
  request: AddRequest,
  position: Position,
  { passingRent, lastingRent }: { readonly passingRent: bigint; readonly lastingRent: bigint },
): LiquidityPlan {
  const { wallet, pool, wrapped } = position;
  const { liquidity, sides } = sizeAddition(request, position, passingRent + lastingRent);
  return {
    ...{ wallet, pool: pool.address, config: pool.config, lpMint: pool.lpMint, sides },
    liquidity: baseUnits(liquidity),
    held: baseUnits(position.liquidity),
    rentLamports: baseUnits(lastingRent),
    feeLamports: baseUnits(NETWORK_FEE_LAMPORTS),
    ...(wrapped ? { unwrapped: wrapped } : {}),
  };
}

/**
 * Refuses a token over which a stranger has power, unless it has a name here: the issuers of stablecoins may freeze
 * accounts. In a pool such power takes from everyone who provides liquidity.
 * @throws AppError UNSAFE_TOKEN, POOL_NOT_SUPPORTED
 */
function assertSafe({ token, mint, known, isFrozen }: HeldSide): void {
  const { symbol } = token;
  const refuse = (reasons: readonly string[], message: string) =>
    new AppError('UNSAFE_TOKEN', { message, data: { mint: token.mint, reasons } });
  if (isFrozen) throw refuse(['frozen_wallet'], `The issuer of ${symbol} has frozen the wallet's account.`);
  assertMovable(token, known.safety?.unsafeExtensions ?? []);
  if (NAMED_TOKENS.some((named) => named.mint === token.mint)) return;
  if (mint.transferFee) throw refuse(['transfer_fee'], `${symbol} withholds a fee of its transfers.`);
  const powers = Object.entries({
    freeze_authority: mint.freezeAuthority,
    mint_authority: mint.mintAuthority,
    permanent_delegate: mint.permanentDelegate,
    transfer_hook: mint.transferHook,
  }).flatMap(([name, holder]) => (holder === null ? [] : name));
  if (mint.accountsBeginFrozen) powers.push('accounts_begin_frozen');
  if (powers.length > 0) throw refuse(powers, `Others have power over ${symbol}: ${powers.join(', ')}.`);
  if (!known.verified)
    throw refuse(['not_verified'], `${symbol} is not verified: check that its mint is the one you mean.`);
}
