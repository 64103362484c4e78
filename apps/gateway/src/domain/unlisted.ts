/** Meanings of a policy's empty list and of an unset one: a reader of a mail must not mistake one for the other. */
const MEANINGS: Readonly<Record<string, { readonly empty: string; readonly unset?: string }>> = {
  allowedRecipients: { empty: 'every address' },
  allowedTokens: { empty: 'no token', unset: 'every token' },
  allowedMarkets: { empty: 'no market', unset: 'every market' },
  unpricedTokens: { empty: 'no token' },
};

/**
 * Returns the entries that a field of a policy allows where it names none. Undefined for a list with entries, and for
 * other fields.
 * @param value a list, or null as JSON or as approvals show it
 */
export function unlisted(field: string, value: unknown): string | undefined {
  const meaning = Object.hasOwn(MEANINGS, field) ? MEANINGS[field] : undefined;
  if (Array.isArray(value)) return value.length === 0 ? meaning?.empty : undefined;
  return value === null || value === 'null' ? meaning?.unset : undefined;
}
