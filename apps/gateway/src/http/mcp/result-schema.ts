import type { Json } from '../docs/named-schemas.js';

const COMPONENTS = '#/components/schemas/';
const DEFINITIONS = '#/$defs/';
/** Keywords of OpenAPI that JSON Schema does not know. */
const LEFT_OUT: ReadonlySet<string> = new Set(['discriminator', 'examples', 'example', 'pattern']);

interface OperationResponses {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

/**
 * Returns `data` of a success as JSON Schema that stands by itself, and whose root is an object as MCP wants it.
 * @param document the OpenAPI document that has the route
 */
export function resultSchema(
  document: Json,
  { method, path }: { readonly method: string; readonly path: string },
): Json {
  const paths = document['paths'] as Record<string, Record<string, OperationResponses>>;
  const { responses } = paths[path]![method.toLowerCase()]!;
  const envelope = (responses['200'] ?? responses['202'])!.content!['application/json']!.schema;
  const [, { properties }] = (dereferenced(document, envelope) as { allOf: [Json, { properties: { data: Json } }] })
    .allOf;
  return standalone(document, properties.data);
}

/** Returns a schema with its root spelled out and everything else that it refers to beside it. */
function standalone(document: Json, schema: Json): Json {
  const definitions: Record<string, Json> = {};
  const root = local(dereferenced(document, schema)) as Json;
  for (let missing = missingIn([root, definitions], definitions); missing.length > 0;) {
    for (const name of missing) definitions[name] = local(dereferenced(document, { $ref: COMPONENTS + name })) as Json;
    missing = missingIn([root, definitions], definitions);
  }
  return { type: 'object', ...root, ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}) };
}

/** Returns the names that a schema refers to and that are not defined yet. */
function missingIn(schema: unknown, definitions: Readonly<Record<string, Json>>): string[] {
  const names = JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g);
  return [...new Set([...names].map(([, name]) => name!))].filter((name) => !Object.hasOwn(definitions, name));
}

/** Returns the schema that a schema refers to, if it refers to one. */
function dereferenced(document: Json, schema: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const schemas = (document['components'] as { schemas: Record<string, Json> }).schemas;
  return dereferenced(document, schemas[$ref.slice(COMPONENTS.length)]!);
}

/**
 * Returns a schema with its references turned into those of JSON Schema. A union that may grow becomes the variant of
 * values to come, which has the fields of all: to spell out every variant would be most of the tool list.
 */
function local(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(local);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf } = value as { readonly anyOf?: readonly Json[] };
  if (anyOf && isFallback(anyOf.at(-1))) return local(anyOf.at(-1));
  const kept = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(
    kept.map(([name, part]) => [name, name === '$ref' ? String(part).replace(COMPONENTS, DEFINITIONS) : local(part)]),
  );
}

function isFallback(variant: Json | undefined): boolean {
  return typeof variant?.['$ref'] === 'string' && variant['$ref'].startsWith(`${COMPONENTS}Other`);
}
