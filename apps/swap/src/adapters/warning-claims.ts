import type { Caller, RequestBudget } from '../ports/request-budget.js';

/** Requests of a trade whose tokens' warnings are not known: those, and the order. */
const WARNINGS_AND_ORDER = 2;
/** Claims of others that a caller waits for: each may take as long as the budget lets one wait. */
const MAX_WAITS = 2;

/** A claim that waits for the budget. */
interface Claim {
  readonly caller: Caller;
  readonly granted: Promise<void>;
}

/**
 * Claims of requests for warnings that wait for the budget, by the mints. Others who want the warnings of the same
 * mints meanwhile wait for that claim, because one request serves all. A real trade waits for no claim of a dry run, which comes
 * after it. A refused claim is its caller's refusal alone: one of the others then claims for those who are left, and
 * once that is refused as well, each claims for itself.
 */
export class WarningClaims {
  readonly #waiting = new Map<string, readonly Claim[]>();

  constructor(private readonly budget: Pick<RequestBudget, 'take'>) {}

  /**
   * Takes requests for warnings and an order out of the budget, unless others who wait take those for the warnings.
   * @returns whether the order's was taken
   */
  async take(caller: Caller, mints: readonly string[]): Promise<boolean> {
    const key = [...mints].sort().join();
    for (let waits = 0; waits < MAX_WAITS; waits += 1) {
      const shared = this.#waitingOf(key).find(({ caller: { isReal } }) => isReal || !caller.isReal);
      if (!shared || isSame(shared.caller, caller)) break;
      if (await isGranted(shared)) return false;
    }
    const own = this.#waitingOf(key).find((claim) => isSame(claim.caller, caller));
    if (own) {
      await own.granted;
      return false;
    }
    await this.#claim(caller, key);
    return true;
  }

  async #claim(caller: Caller, key: string): Promise<void> {
    const claim = { caller, granted: this.budget.take({ ...caller, requests: WARNINGS_AND_ORDER }) };
    this.#waiting.set(key, [...this.#waitingOf(key), claim]);
    try {
      await claim.granted;
    } finally {
      const left = this.#waitingOf(key).filter((each) => each !== claim);
      if (left.length > 0) this.#waiting.set(key, left);
      else this.#waiting.delete(key);
    }
  }

  #waitingOf(key: string): readonly Claim[] {
    return this.#waiting.get(key) ?? [];
  }
}

function isSame(one: Caller, other: Caller): boolean {
  return one.agentId === other.agentId && one.isReal === other.isReal;
}

function isGranted({ granted }: Claim): Promise<boolean> {
  return granted.then(
    () => true,
    () => false,
  );
}
