import type { Json } from '../docs/named-schemas.js';

const DEFINITIONS = '#/$defs/';
/** Keywords that tell a model nothing: what the service sends has these bounds and fields. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...[
    'required',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'maxItems',
    'format',
    'enum',
    'const',
    'additionalProperties',
  ],
]);

/**
 * Returns a schema of results in fewer words: hosts that pass it on to their model pay for each of them. What is defined stands
 * where it is used, without the text of its definition, and unions are the types of their variants.
 */
export function slim({ $defs = {}, ...schema }: Json): Json {
  return { type: 'object', ...(slimPart(schema, $defs as Definitions, 0) as Json) };
}

type Definitions = Readonly<Record<string, Json>>;

/** Levels of objects whose fields are named; the last without a text. */
const DEEPEST = 3;

function slimPart(value: unknown, definitions: Definitions, depth: number): unknown {
  if (Array.isArray(value)) return value.map((part) => slimPart(part, definitions, depth));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, anyOf, allOf, ...rest } = value as Json;
  if (typeof $ref === 'string') {
    const { description: _, ...meant } = definitions[$ref.slice(DEFINITIONS.length)]!;
    return slimPart({ ...meant, ...rest }, definitions, depth);
  }
  const own = slimFields(rest, definitions, depth);
  if (Array.isArray(anyOf))
    return { ...union(anyOf.map((part) => slimPart(part, definitions, depth) as Json)), ...own };
  if (!Array.isArray(allOf)) return own;
  const parts = allOf.map((part) => slimPart(part, definitions, depth) as Json);
  const properties = Object.assign({}, ...parts.map((part) => part['properties'])) as Json;
  return { type: 'object', ...own, ...(depth < DEEPEST && { properties }) };
}

function slimFields(schema: Json, definitions: Definitions, depth: number): Json {
  const isDeep = (name: string) => depth >= DEEPEST && (name === 'properties' || name === 'description');
  const kept = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name) && !isDeep(name));
  return Object.fromEntries(
    kept.map(([name, part]) => {
      if (name === 'description' && depth > 1) return [name, firstSentence(part as string)];
      if (name !== 'properties') return [name, slimPart(part, definitions, depth)];
      const fields = Object.entries(part as Json).map(([field, each]) => [
        field,
        slimPart(each, definitions, depth + 1),
      ]);
      return [name, Object.fromEntries(fields)];
    }),
  );
}

/** Returns what a field of a part is, without its details. */
function firstSentence(text: string): string {
  return /^.*?[.;:](?= |$)/s.exec(text)?.[0] ?? text;
}

/** Returns the one schema that several come to, with the types of all. */
function union(variants: readonly Json[]): Json {
  const { type: _, ...merged } = Object.assign({}, ...variants) as Json;
  if (variants.some(({ type }) => type === undefined)) return merged;
  const types = [...new Set(variants.flatMap(({ type }) => type as string | string[]))];
  return { ...merged, type: types.length === 1 ? types[0] : types };
}
