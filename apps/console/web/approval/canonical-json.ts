/** JSON of texts, lists and objects only, as every document of this service is. */
export type PlainJson = string | readonly PlainJson[] | { readonly [name: string]: PlainJson };

/** Serializes by RFC 8785. A document that differs from this has duplicate names, white space or other surprises. */
export function canonicalJson(value: PlainJson): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`).join(',')}}`;
}

/** Reports whether a parsed value has nothing but texts, lists and objects. */
export function isPlainJson(value: unknown): value is PlainJson {
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(isPlainJson);
}

function isList(value: PlainJson): value is readonly PlainJson[] {
  return Array.isArray(value);
}
