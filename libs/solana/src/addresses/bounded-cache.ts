/** Keeps the results of a costly pure function for the keys that were used last. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, Value>();

  constructor(private readonly maxEntries: number) {}

  /** The kept value, or the one that `make` gives now. */
  get(key: string, make: () => Value): Value {
    const kept = this.#entries.get(key);
    if (kept !== undefined) {
      // A map iterates in order of insertion: to insert again is to mark as just used.
      this.#entries.delete(key);
      this.#entries.set(key, kept);
      return kept;
    }
    const made = make();
    this.#entries.set(key, made);
    if (this.#entries.size > this.maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    return made;
  }
}
