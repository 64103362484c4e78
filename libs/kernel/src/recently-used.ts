/** Values by key, at most so many: the one not used for longest goes first. */
export class RecentlyUsed<Value> {
  /** A map iterates in the order of insertion. */
  readonly #values = new Map<string, Value>();

  constructor(private readonly maxCount: number) {}

  get count(): number {
    return this.#values.size;
  }

  /** Returns the value and marks it as used; undefined when there is none. */
  use(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.keep(key, value);
    return value;
  }

  /** Returns the value, or creates it with `make`, a costly pure function. Marks it as used. */
  useOrMake(key: string, make: () => Value): Value {
    const kept = this.use(key);
    if (kept !== undefined) return kept;
    const made = make();
    this.keep(key, made);
    return made;
  }

  /** Keeps a value, which counts as used now. */
  keep(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.maxCount) return;
    const [oldest] = this.#values.keys();
    this.#values.delete(oldest!);
  }

  drop(key: string): void {
    this.#values.delete(key);
  }

  dropWhere(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this.#values) if (isOver(value)) this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
