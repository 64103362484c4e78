const MOST = 10_000;

/**
 * The latest transactions of ours that moved USDC between agents' wallets and the treasury. Their messages were built
 * here and signed unchanged, so that what agents got by them is known without reading them: nothing that is a deposit.
 * What another replica has moved is not in it, and is read.
 */
export class LandedMoves {
  readonly #signatures = new Set<string>();

  add(signature: string): void {
    this.#signatures.add(signature);
    if (this.#signatures.size > MOST) this.#signatures.delete(this.#signatures.values().next().value!);
  }

  has(signature: string): boolean {
    return this.#signatures.has(signature);
  }
}
