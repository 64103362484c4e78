/** Places in the log at which policy recorded that its database was restored, or that another server had taken over. */
export class Recoveries {
  readonly #positions: number[] = [];

  /** Takes the place of a recorded recovery; undefined where only one agent's events are seen. */
  add(position: number | undefined): void {
    if (position !== undefined) this.#positions.push(position);
  }

  /** Returns whether policy may have forgotten at a place of the log what it did at an earlier one. */
  isBetween(earlier: number | undefined, later: number | undefined): boolean {
    return this.#positions.some((position) => position > (earlier ?? Infinity) && position < (later ?? 0));
  }
}
