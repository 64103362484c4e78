/** A value with what it was before: readers may look a while back. */
export class History<T> {
  private readonly versions: Array<{ readonly timeMs: number; readonly value: T }> = [];

  /** The value from this time on; times never go back. */
  set(timeMs: number, value: T): void {
    if (this.versions.at(-1)?.timeMs === timeMs) this.versions.pop();
    this.versions.push({ timeMs, value });
  }

  /** The value now, or at the end of a millisecond; undefined before the first one. */
  at(timeMs = Infinity): T | undefined {
    for (let i = this.versions.length - 1; i >= 0; i -= 1) {
      const version = this.versions[i]!;
      if (version.timeMs <= timeMs) return version.value;
    }
    return undefined;
  }
}
