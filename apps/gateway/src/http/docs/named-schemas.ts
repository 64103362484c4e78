import { z } from 'zod';
import { partsOf } from '../contract/composed.js';

export type Json = Record<string, unknown>;

/** JSON Schema of what callers send, or of what they get. */
type Direction = 'input' | 'output';

/** The schemas of openapi.json that have a name, collected from the schemas that refer to them. */
export class NamedSchemas {
  readonly #named = new Map<string, Json>();

  /**
   * A schema as JSON Schema, which refers to the named ones.
   * @throws Error when two different schemas have one name
   */
  of(schema: z.ZodType, direction: Direction): Json {
    const parts = new Set<z.ZodObject>();
    const { $defs = {}, $schema: _, ...root } = jsonSchema(schema, direction, parts);
    for (const part of parts) this.of(part, direction);
    for (const [name, definition] of Object.entries($defs)) this.add(name, tidy(definition, direction));
    return tidy(root, direction);
  }

  /** Adds a schema under a name. @returns a reference to it */
  add(name: string, schema: Json): Json {
    const known = this.#named.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${name}`);
    this.#named.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All of them by name. */
  all(): Json {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The fields of a request's schema, by name, and which of them are required. */
export function requestFields(schema: z.ZodType): {
  readonly properties: Record<string, Json>;
  readonly required: string[];
} {
  const { $defs = {}, $ref, ...root } = jsonSchema(schema, 'input', new Set());
  const own = typeof $ref === 'string' ? $defs[$ref.slice('#/$defs/'.length)]! : root;
  const { properties = {}, required = [] } = tidy(own, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return { properties, required };
}

interface WithDefinitions extends Json {
  readonly $defs?: Record<string, Json>;
}

/** @param parts takes the parts of composed records, to which only references are left */
function jsonSchema(schema: z.ZodType, io: Direction, parts: Set<z.ZodObject>): WithDefinitions {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: json }) => {
      const union = zodSchema._zod.def as {
        readonly discriminator?: string;
        readonly options?: readonly z.ZodObject[];
      };
      const composition = partsOf(zodSchema);
      if (composition) {
        for (const name of Object.keys(json)) delete json[name];
        json.allOf = composition.map((part) => ({ $ref: `#/$defs/${idOf(part)}` }));
        composition.forEach((part) => parts.add(part));
      }
      if (union.discriminator) json['discriminator'] = discriminatorOf(union.discriminator, union.options ?? []);
      // Of a schema that transforms its input zod shows no default.
      const { default: given } = (z.globalRegistry.get(zodSchema) ?? {}) as { default?: string | number | boolean };
      if (given !== undefined) json.default = given;
    },
  }) as Json;
}

function discriminatorOf(propertyName: string, options: readonly z.ZodObject[]): Json {
  const mapping = options.flatMap((option) => {
    const id = idOf(option);
    const values = [...(option._zod.propValues?.[propertyName] ?? [])];
    return values.map((value) => [String(value), `#/components/schemas/${id}`]);
  });
  return { propertyName, mapping: Object.fromEntries(mapping) as Json };
}

/** The name of a schema. @throws Error without one */
function idOf(schema: z.ZodType): string {
  const id = z.globalRegistry.get(schema)?.id;
  if (!id) throw new Error('a part or a variant has no name');
  return id;
}

/** Formats whose patterns are longer than they are useful. */
const KNOWN_FORMATS = new Set(['date-time', 'uuid', 'email', 'uri']);

/** JSON Schema in the form in which openapi.json has it. */
function tidy(node: unknown, direction: Direction): Json {
  return visit(node) as Json;

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return tidied(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, visit(part)])), direction);
  }
}

function tidied(schema: Json, direction: Direction): Json {
  const { $ref, anyOf, ...rest } = schema;
  const result: Json = { ...rest };
  if (typeof $ref === 'string') {
    for (const name of ['type', 'pattern', 'format']) delete result[name];
    result['$ref'] = $ref.replace('#/$defs/', '#/components/schemas/');
  }
  if (Array.isArray(anyOf)) result[anyOf.every((option: Json) => option['$ref']) ? 'oneOf' : 'anyOf'] = anyOf;
  if (typeof result['format'] === 'string' && KNOWN_FORMATS.has(result['format'])) delete result['pattern'];
  if (Math.abs(Number(result['minimum'])) === Number.MAX_SAFE_INTEGER) delete result['minimum'];
  if (result['maximum'] === Number.MAX_SAFE_INTEGER) delete result['maximum'];
  // A later version may add fields to responses.
  if (direction === 'output' && result['additionalProperties'] === false) delete result['additionalProperties'];
  return result;
}
