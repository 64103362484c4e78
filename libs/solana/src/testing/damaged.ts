/** Yields the value with each of its parts in turn replaced by each of the replacements. */
export function* damaged(value: unknown, replacements: readonly unknown[]): Generator<unknown> {
  yield* replacements;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const broken of damaged(item, replacements)) yield value.with(i, broken);
    yield [...(value as unknown[]), ...(value as unknown[])];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const broken of damaged(item, replacements)) yield { ...value, [name]: broken };
    }
  }
}
