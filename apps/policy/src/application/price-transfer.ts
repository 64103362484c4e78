import type { intentV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { isKnown, type KnownPrice, type UsdPrices } from '@agent-wallet/prices';
import { setTimeout as pause } from 'node:timers/promises';
import { type Mint, tokenAccountBytes, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { valueOf } from '../domain/value.js';
import type { PolicyChain } from '../ports/chain.js';

/** A refusal is final for its operation, so one hiccup of an upstream must not be one. */
const RETRY_PAUSES_MS = [200, 400, 800];

/** What a transfer takes. */
export interface TransferValue {
  /** Micro-dollars; undefined when a price is missing, stale, doubtful or cannot be asked for. */
  readonly valueUsdMicros: bigint | undefined;
  /** Rent of an account that is made for the recipient; 0 when none is. */
  readonly rentLamports: bigint;
}

/** Values transfers by policy's own knowledge: prices, and the mint as it is on chain. */
export class PriceTransfer {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: UsdPrices,
  ) {}

  /**
   * What leaves the agent's control, the operator's fee and the rent of an account made for the recipient included,
   * whoever pays that rent.
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mint on chain; UPSTREAM_ERROR and
   *   UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(transfer: intentV1.Transfer): Promise<TransferValue> {
    const rentLamports = await patiently(() => this.#rentLamports(transfer));
    const value = patiently(() => this.#valueUsdMicros(transfer, rentLamports));
    return { rentLamports, valueUsdMicros: await value.catch(undefinedWithoutPrices) };
  }

  async #rentLamports(transfer: intentV1.Transfer): Promise<bigint> {
    if (transfer.mint === '') return 0n;
    const { tokenProgram, extensions } = await this.#mint(transfer);
    if (!transfer.createsRecipientAccount) return 0n;
    const bytes = tokenAccountBytes({ tokenProgram, extensions });
    return this.chain.rentExemptMinimumLamports(bytes);
  }

  async #valueUsdMicros(transfer: intentV1.Transfer, rentLamports: bigint): Promise<bigint | undefined> {
    const priced = transfer.mint || WRAPPED_SOL_MINT;
    const known = await this.#knownPrices(rentLamports === 0n ? [priced] : [priced, WRAPPED_SOL_MINT]);
    const token = known.get(priced);
    const sol = known.get(WRAPPED_SOL_MINT);
    // A price for a token of other decimals is the price of something else.
    if (!token || token.decimals !== transfer.decimals) return undefined;
    const sent = { amount: transfer.amount + (transfer.fee ?? 0n), decimals: transfer.decimals, price: token.price };
    if (rentLamports === 0n) return valueOf({ ...sent, rent: undefined });
    return sol && valueOf({ ...sent, rent: { lamports: rentLamports, solPrice: sol.price } });
  }

  async #mint(transfer: intentV1.Transfer): Promise<Mint> {
    const mint = await this.chain.mint(transfer.mint);
    if (!mint) throw AppError.field('intent.transfer.mint', 'is no mint on chain');
    if (mint.tokenProgram !== transfer.tokenProgram) {
      throw AppError.field('intent.transfer.tokenProgram', 'is not the program that owns the mint');
    }
    if (mint.decimals !== transfer.decimals) {
      throw AppError.field('intent.transfer.decimals', 'are not the decimals of the mint');
    }
    return mint;
  }

  /** The known ones of the prices. @throws PricesAway when they cannot be asked for */
  async #knownPrices(mints: readonly string[]): Promise<Map<string, KnownPrice>> {
    try {
      const answers = await this.prices.prices(mints);
      return new Map([...answers].flatMap(([mint, answer]) => (isKnown(answer) ? [[mint, answer] as const] : [])));
    } catch (error) {
      if (error instanceof AppError && UPSTREAM_IS_AWAY.has(error.code)) throw new PricesAway(error);
      throw error;
    }
  }
}

const UPSTREAM_IS_AWAY: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'SERVICE_UNAVAILABLE']);

/** Prices cannot be asked for: no better than unknown ones. */
class PricesAway extends Error {
  constructor(override readonly cause: AppError) {
    super('prices cannot be asked for', { cause });
    this.name = 'PricesAway';
  }
}

/** Tries again when an upstream has hiccups. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!isHiccup(error)) throw error;
      await pause(pauseMs);
    }
  }
  return ask();
}

/** Whether an upstream gave an error that may pass at once. One that took its time once is not waited for again. */
function isHiccup(error: unknown): boolean {
  const upstream = error instanceof PricesAway ? error.cause : error;
  return upstream instanceof AppError && upstream.code === 'UPSTREAM_ERROR';
}

function undefinedWithoutPrices(error: unknown): undefined {
  if (!(error instanceof PricesAway)) throw error;
}
