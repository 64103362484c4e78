// What must be true of a run for its figures to mean anything.

/** Collects what was checked. */
export class Checks {
  /** Each `{ name, ok, found, expected }`. */
  all = [];

  /** Notes whether what was found is what must be. Amounts may be bigints. */
  equal(name, found, expected) {
    this.all.push({ name, ok: found === expected, found: String(found), expected: String(expected) });
  }
}
