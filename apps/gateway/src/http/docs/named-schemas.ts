import { z } from 'zod';
import { MAY_GROW } from '../../api/schemas/units.js';
import { type Composition, compositionOf, fallbackOf } from '../../api/schemas/composed.js';

export type Json = Record<string, unknown>;

/** JSON Schema of what callers send, or of what they get. */
type Direction = 'input' | 'output';

/** The schemas of openapi.json that have a name, collected from the schemas that refer to them. */
export class NamedSchemas {
  readonly #named = new Map<string, Json>();

  /**
   * Returns a schema as JSON Schema, which refers to the named ones.
   * @throws Error when two different schemas have one name
   */
  of(schema: z.ZodType, direction: Direction): Json {
    const { root, definitions, fallbacks } = convert(schema, direction);
    for (const [name, definition] of definitions) {
      this.add(name, 'parts' in definition ? this.#composed(definition, direction) : definition.json);
    }
    for (const fallback of fallbacks) this.of(fallback, direction);
    return root;
  }

  /** Adds a schema under a name. @returns a reference to it */
  add(name: string, schema: Json): Json {
    const known = this.#named.get(name);
    if (known && known !== schema && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${name}`);
    this.#named.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  #composed({ parts, own }: Composition, direction: Direction): Json {
    const ofParts = parts.map((part) => this.of(part, direction));
    return { allOf: Object.keys(own.shape).length === 0 ? ofParts : [...ofParts, this.of(own, direction)] };
  }

  /** Returns all schemas by name. */
  all(): Json {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The fields of a schema by name, and which of them are required. */
interface Fields {
  readonly properties: Record<string, Json>;
  readonly required: string[];
}

/** Returns the fields that callers send by a schema. */
export function inputFields(schema: z.ZodType): Fields {
  const { $defs = {}, $ref, ...root } = jsonSchema(schema, 'input', nothingFound());
  return fieldsIn(typeof $ref === 'string' ? $defs[$ref.slice('#/$defs/'.length)]! : root);
}

/** Returns the fields that callers send by a schema, without references to named schemas. */
export function inlineInputFields(schema: z.ZodType): Fields {
  return fieldsIn(jsonSchema(schema, 'input', nothingFound(), WITHOUT_NAMES));
}

function fieldsIn(schema: Json): Fields {
  const { properties = {}, required = [] } = tidy(schema, 'input') as Partial<Fields>;
  return { properties, required };
}

const nothingFound = (): Found => ({ compositions: new Map(), fallbacks: [] });

/** The registry of what schemas say of themselves, without their names. */
const WITHOUT_NAMES = {
  get(schema: z.ZodType) {
    const { id: _, ...rest } = z.globalRegistry.get(schema) ?? {};
    return rest;
  },
} as typeof z.globalRegistry;

/** A converted schema, and what it refers to. */
interface Converted {
  readonly root: Json;
  /** The named schemas that it refers to, as JSON Schema or as the composition that they are made of. */
  readonly definitions: ReadonlyArray<readonly [string, Composition | { readonly json: Json }]>;
  readonly fallbacks: readonly z.ZodObject[];
}

/** Conversions so far: schemas are constants of the program, and converting all of them takes two seconds of CPU. */
const conversions = { input: new WeakMap<z.ZodType, Converted>(), output: new WeakMap<z.ZodType, Converted>() };

function convert(schema: z.ZodType, direction: Direction): Converted {
  const known = conversions[direction].get(schema);
  if (known) return known;
  const compositions = new Map<string, Composition>();
  const fallbacks: z.ZodObject[] = [];
  const { $defs = {}, $schema: _, ...root } = jsonSchema(schema, direction, { compositions, fallbacks });
  const definitions = Object.entries($defs).map(
    ([name, json]) => [name, compositions.get(name) ?? { json: tidy(json, direction) }] as const,
  );
  const converted = { root: tidy(root, direction), definitions, fallbacks };
  conversions[direction].set(schema, converted);
  return converted;
}

interface WithDefinitions extends Json {
  readonly $defs?: Record<string, Json>;
}

/** Findings of a conversion beside its JSON Schema. */
interface Found {
  /** The composed records by name; nothing is left of their fields. */
  readonly compositions: Map<string, Composition>;
  /** Fallbacks of unions that may grow. */
  readonly fallbacks: z.ZodObject[];
}

function jsonSchema(
  schema: z.ZodType,
  io: Direction,
  { compositions, fallbacks }: Found,
  metadata = z.globalRegistry,
): WithDefinitions {
  return z.toJSONSchema(schema, {
    io,
    metadata,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: json }) => {
      const union = zodSchema._zod.def as {
        readonly discriminator?: string;
        readonly options?: readonly z.ZodObject[];
      };
      const composition = compositionOf(zodSchema);
      if (composition) {
        for (const name of Object.keys(json)) delete json[name];
        compositions.set(idOf(zodSchema), composition);
      }
      const fallback = fallbackOf(zodSchema);
      if (union.discriminator && !fallback) {
        json['discriminator'] = discriminatorOf(union.discriminator, union.options ?? []);
      }
      if (fallback) {
        fallbacks.push(fallback);
        // A known variant fits its fallback, too: `oneOf` would want exactly one, and a discriminator a value for each.
        json.anyOf = [...(json.oneOf ?? json.anyOf ?? []), { $ref: `#/$defs/${idOf(fallback)}` }];
        delete json.oneOf;
        json[MAY_GROW] = true;
      }
      if (Array.isArray(json[MAY_GROW])) {
        json.anyOf = [{ type: 'string', enum: json[MAY_GROW] as string[] }, { type: 'string' }];
        delete json.type;
        delete json.enum;
        json[MAY_GROW] = true;
      }
      // Of a schema that transforms its input zod shows no default.
      const { default: given } = (z.globalRegistry.get(zodSchema) ?? {}) as { default?: string | number | boolean };
      if (given !== undefined) json.default = given;
    },
  });
}

function discriminatorOf(propertyName: string, options: readonly z.ZodObject[]): Json {
  const mapping = options.flatMap((option) => {
    const id = idOf(option);
    const values = [...(option._zod.propValues?.[propertyName] ?? [])];
    return values.map((value) => [String(value), `#/components/schemas/${id}`]);
  });
  return { propertyName, mapping: Object.fromEntries(mapping) as Json };
}

/** Returns the name of a schema. @throws Error without one */
function idOf(schema: z.core.$ZodType): string {
  const id = z.globalRegistry.get(schema)?.id;
  if (!id) throw new Error('a part or a variant has no name');
  return id;
}

/** Formats whose patterns are longer than they are useful. */
const KNOWN_FORMATS = new Set(['date-time', 'uuid', 'email', 'uri']);

/** Returns JSON Schema in the form that openapi.json uses. */
function tidy(node: unknown, direction: Direction): Json {
  return visit(node) as Json;

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return tidied(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, visit(part)])), direction);
  }
}

function tidied(schema: Json, direction: Direction): Json {
  const { $ref, anyOf, [MAY_GROW]: mayGrow, ...rest } = schema;
  const result: Json = { ...rest };
  if (typeof $ref === 'string') {
    for (const name of ['type', 'pattern', 'format', 'enum']) delete result[name];
    result['$ref'] = $ref.replace('#/$defs/', '#/components/schemas/');
  } else if (Array.isArray(anyOf)) {
    const isExact = !mayGrow && anyOf.every((option: Json) => option['$ref']);
    result[isExact ? 'oneOf' : 'anyOf'] = anyOf;
  }
  if (typeof result['format'] === 'string' && KNOWN_FORMATS.has(result['format'])) delete result['pattern'];
  // Names of fields are texts anyway.
  delete result['propertyNames'];
  if (Math.abs(Number(result['minimum'])) === Number.MAX_SAFE_INTEGER) delete result['minimum'];
  if (result['maximum'] === Number.MAX_SAFE_INTEGER) delete result['maximum'];
  // A later version may add fields to responses.
  if (direction === 'output' && result['additionalProperties'] === false) delete result['additionalProperties'];
  return result;
}
