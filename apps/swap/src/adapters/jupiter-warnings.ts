import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import type { ReportedWarning } from '../domain/token-warnings.js';

/** Warnings of tokens, by mint. */
export type WarningsByMint = ReadonlyMap<string, readonly ReportedWarning[]>;

const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
const NONE: readonly ReportedWarning[] = [];

/** Warnings that the aggregator reported, kept for a minute. All who want those of a mint at once share one request. */
export class JupiterWarnings {
  readonly #kept = new RecentlyUsed<{ readonly askedAtMs: number; readonly warnings: readonly ReportedWarning[] }>(
    MAX_KEPT,
  );
  readonly #underWay = new Map<string, Promise<readonly ReportedWarning[]>>();

  /** @param request requests the warnings of tokens */
  constructor(
    private readonly clock: Clock,
    private readonly request: (mints: readonly string[]) => Promise<WarningsByMint>,
  ) {}

  /**
   * Returns the warnings of tokens, by mint.
   * @param reserve reserves a request for mints that are neither kept nor being requested; what it throws is thrown
   */
  async read(
    mints: readonly string[],
    reserve: (missing: readonly string[]) => Promise<void>,
  ): Promise<WarningsByMint> {
    const missing = this.#missing(mints, this.clock.nowMs());
    if (missing.length > 0) await reserve(missing);
    const nowMs = this.clock.nowMs();
    // Others may have requested some meanwhile.
    const open = this.#missing(mints, nowMs);
    if (open.length > 0) this.#request(open, nowMs);
    const found = mints.map(async (mint) => {
      const warnings = this.#keptOf(mint, nowMs) ?? (await this.#underWay.get(mint)!);
      return [mint, warnings] as const;
    });
    return new Map(await Promise.all(found));
  }

  #missing(mints: readonly string[], nowMs: number): readonly string[] {
    return mints.filter((mint) => !this.#keptOf(mint, nowMs) && !this.#underWay.has(mint));
  }

  #keptOf(mint: string, nowMs: number): readonly ReportedWarning[] | undefined {
    const kept = this.#kept.use(mint);
    return kept && Math.abs(nowMs - kept.askedAtMs) < KEPT_MS ? kept.warnings : undefined;
  }

  #request(mints: readonly string[], askedAtMs: number): void {
    const answer = this.request(mints);
    for (const mint of mints) {
      const warnings = answer.then(
        (found) => {
          this.#underWay.delete(mint);
          const known = found.get(mint) ?? NONE;
          this.#kept.keep(mint, { askedAtMs, warnings: known });
          return known;
        },
        (error: unknown) => {
          this.#underWay.delete(mint);
          throw error;
        },
      );
      this.#underWay.set(mint, warnings);
    }
  }
}
