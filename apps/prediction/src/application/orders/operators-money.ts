import type { Clock } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import type { Exchange } from '../../ports/exchange.js';
import type { Wallet } from '../../ports/wallet.js';
import { unavailable } from './market-snapshot.js';

interface Dependencies {
  readonly exchange: Pick<Exchange, 'balance'>;
  readonly wallet: Pick<Wallet, 'getTreasury'>;
  readonly clock: Clock;
}

const MAX_AGE_MS = 5_000;

/** The operator's money at the exchange and in its treasury, a few seconds old at most. In micro-dollars. */
export class OperatorsMoney {
  readonly #cash: RecentCache<{ readonly cashUsdMicros: bigint }>;
  readonly #treasury: RecentCache<{ readonly confirmedAmount: bigint }>;

  constructor({ exchange, wallet, clock }: Dependencies) {
    const options = { clock, maxAgeMs: MAX_AGE_MS };
    this.#cash = new RecentCache(() => exchange.balance(), options);
    this.#treasury = new RecentCache(() => wallet.getTreasury({}), options);
  }

  /** Reports whether the cash at the exchange covers an amount. @throws what the exchange's reads throw */
  async hasCash(usdMicros: bigint): Promise<boolean> {
    return (await this.#cash.get()).cashUsdMicros >= usdMicros;
  }

  /** @throws AppError SERVICE_UNAVAILABLE when the treasury does not cover so much, or cannot be asked */
  async assertTreasuryCovers(usdMicros: bigint): Promise<void> {
    const { confirmedAmount } = await this.#treasury.get().catch((error: unknown) => {
      throw toAppError(error);
    });
    if (confirmedAmount < usdMicros) throw unavailable('The treasury cannot pay so much right now.');
  }
}

interface Reading<T> {
  readonly atMs: number;
  readonly value: Promise<T>;
}

/** A value read a short while ago: concurrent callers share one call, and a failure is not remembered. */
class RecentCache<T> {
  #kept: Reading<T> | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly options: { readonly clock: Clock; readonly maxAgeMs: number },
  ) {}

  /** @throws what reading throws */
  get(): Promise<T> {
    const { clock, maxAgeMs } = this.options;
    const atMs = clock.nowMs();
    // A clock that was set back must not keep it alive.
    if (this.#kept && Math.abs(atMs - this.#kept.atMs) <= maxAgeMs) return this.#kept.value;
    const reading: Reading<T> = { atMs, value: this.read() };
    this.#kept = reading;
    reading.value.catch(() => {
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading.value;
  }
}
