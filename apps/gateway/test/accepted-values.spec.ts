import { type AppError, mintNamed } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { readInput } from '../src/api/read-input.js';
import type { Route } from '../src/api/route.js';
import { ROUTES } from '../src/api/routes.js';
import { ADDRESS_PATTERN } from '../src/api/schemas/units.js';
import { openApiDocument } from '../src/http/docs/open-api.js';
import { FED, FED_BY_UNIT, NO_NULL, SAME_NULL, VALUES } from './shown-values.js';
import { UNFED, UNFED_FIELDS, UNFED_UNITS } from './unfed-fields.js';

/** A schema in openapi.json. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly 'x-unit'?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const facts = { publicUrl: 'https://wallet.test', network: 'sandbox' } as const;
const document = JSON.parse(JSON.stringify(openApiDocument(ROUTES, facts))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = document.components;

/** Adds the names of all schemas that a part of the document refers to. */
function collect(part: unknown, names: Set<string>): Set<string> {
  for (const [key, value] of Object.entries(part ?? {})) {
    if (key === '$ref' && typeof value === 'string') {
      const found = value.split('/').slice(1);
      const name = found.join('/');
      if (names.has(name)) continue;
      names.add(name);
      collect(
        found.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document),
        names,
      );
    } else if (typeof value === 'object' && !['example', 'examples', 'mapping'].includes(key)) collect(value, names);
  }
  return names;
}

/** A plain value of a response: a text, a number or a switch. */
interface Shown {
  /** Its name and its unit. */
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  readonly isNullable: boolean;
  /** Values of every field with that name and unit. */
  readonly schemas: readonly Schema[];
}

type Leaf = Pick<Shown, 'unit' | 'isNullable'> & { readonly schema: Schema };

const isNull = ({ type }: Schema) => type === 'null';
const isObject = ({ properties, allOf, type }: Schema) => Boolean(properties ?? allOf) || type === 'object';

/** Returns the schema of a field without null and references, and the name of its unit; undefined for objects. */
function leafOf(schema: Schema): Leaf | undefined {
  const { $ref, anyOf, oneOf, type, items } = schema;
  if ($ref) {
    const name = $ref.split('/').at(-1)!;
    const leaf = leafOf(schemas[name]!);
    return leaf && { ...leaf, unit: name };
  }
  const options = anyOf ?? oneOf;
  if (options) {
    const [first, ...others] = options.filter((option) => !isNull(option));
    const leaf = first && leafOf(first);
    return leaf && { ...leaf, isNullable: others.length < options.length - 1 || leaf.isNullable };
  }
  if (isObject(schema)) return undefined;
  if (Array.isArray(type)) {
    return { ...leafOf({ ...schema, type: type.find((each) => each !== 'null') as string })!, isNullable: true };
  }
  if (items) {
    const leaf = leafOf(items);
    return leaf && { unit: `[${leaf.unit}]`, isNullable: false, schema: { type: 'array', items: leaf.schema } };
  }
  const unit = schema.enum || 'const' in schema ? 'enum' : (schema['x-unit'] ?? String(type));
  return { unit, isNullable: false, schema };
}

const responses = collect(
  Object.values(document.paths).flatMap((path) => Object.values(path).map(({ responses: each }) => each)),
  new Set(),
);
const shown = new Map<string, Shown>();
for (const path of responses) {
  const { properties, allOf = [] } = schemas[path.replace('components/schemas/', '')] ?? {};
  for (const part of [{ properties }, ...allOf]) {
    for (const [name, schema] of Object.entries(part.properties ?? {})) {
      const leaf = leafOf(schema);
      if (!leaf || isNull(leaf.schema)) continue;
      const key = `${name} ${leaf.unit}`;
      const { isNullable, schemas: others } = shown.get(key) ?? { isNullable: false, schemas: [] };
      const { unit, schema: allowed } = leaf;
      shown.set(key, { key, name, unit, isNullable: isNullable || leaf.isNullable, schemas: [...others, allowed] });
    }
  }
}

/** A field of a request. */
interface Taken {
  readonly route: Route;
  readonly place: 'params' | 'query' | 'body';
  readonly name: string;
  readonly isList: boolean;
}

const taken = new Map<string, Taken>();
for (const route of ROUTES) {
  for (const place of ['params', 'query', 'body'] as const) {
    const given = route[place];
    const object = given instanceof z.ZodOptional ? given.unwrap() : given;
    if (!(object instanceof z.ZodObject)) continue;
    for (const [name, field] of Object.entries(object.shape)) {
      const { type, anyOf } = z.toJSONSchema(field as z.ZodType, { io: 'input', unrepresentable: 'any' });
      const isList = [type, ...(anyOf ?? []).map((option) => option.type)].includes('array');
      taken.set(`${route.id}.${name}`, { route, place, name, isList });
    }
  }
}

/** Returns the names of the requests' fields that a field of a response feeds. */
function fedBy({ key, name, unit }: Shown): readonly string[] {
  if (key in UNFED) return [];
  return FED[key] ?? FED_BY_UNIT[unit] ?? [...taken.keys()].filter((each) => each.endsWith(`.${name}`));
}

/** Returns the values that a field shows; of enums all. */
function valuesOf({ key, unit, schemas: possible }: Shown): readonly unknown[] {
  const options = possible.flatMap((schema) => schema.enum ?? ('const' in schema ? [schema.const] : []));
  return VALUES[key] ?? VALUES[unit] ?? options;
}

/** Returns what a request's reader finds wrong with one of its fields. */
function refusal(target: string, { unit }: Shown, value: unknown): readonly string[] {
  const { route, place, name, isList } = taken.get(target)!;
  const given = isList && !unit.startsWith('[') ? [value] : value;
  const part = place === 'body' ? parse(stringify({ [name]: given })!) : { [name]: String(given) };
  try {
    readInput(route, { [place]: part });
    return [];
  } catch (error) {
    const { details } = error as AppError;
    return details.filter(({ field }) => `${field}.`.startsWith(`${name}.`)).map(({ reason }) => reason);
  }
}

const fed = [...shown.values()].filter((each) => fedBy(each).length > 0);
const plain = (value: unknown) => (value instanceof LosslessNumber ? Number(value) : value);

describe('a field of a response', () => {
  it('feeds a request, or is listed with the reason why not', () => {
    const listed = new Set([...Object.keys(UNFED), ...Object.values(UNFED_FIELDS).flat()]);
    const unknown = [...shown.values()].filter(
      (each) => fedBy(each).length === 0 && !listed.has(each.key) && !(each.unit in UNFED_UNITS),
    );
    expect(unknown.map(({ key }) => key)).toEqual([]);
    expect(fed.length).toBeGreaterThan(80);
  });

  it('has values that its schema allows', () => {
    expect(fed.filter((each) => valuesOf(each).length === 0).map(({ key }) => key)).toEqual([]);
    const wrong = fed.flatMap((each) => {
      const readers = each.schemas.map((schema) => z.fromJSONSchema(schema as never));
      return valuesOf(each)
        .filter((value) => !readers.some((reader) => reader.safeParse(plain(value)).success))
        .map((value) => `${each.key}: ${String(value)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('is accepted by every request that it feeds', () => {
    const refused = fed.flatMap((each) =>
      fedBy(each).flatMap((target) =>
        valuesOf(each).flatMap((value) =>
          refusal(target, each, value).map((reason) => `${each.key} ${String(value)} → ${target} ${reason}`),
        ),
      ),
    );
    expect(refused).toEqual([]);
  });

  it('is accepted as null where null means the same, by all but the requests that say why not', () => {
    expect(SAME_NULL.filter((key) => !shown.get(key)?.isNullable)).toEqual([]);
    const refused = SAME_NULL.flatMap((key) =>
      fedBy(shown.get(key)!).filter((target) => refusal(target, shown.get(key)!, null).length > 0),
    );
    const bodies = Object.keys(NO_NULL).filter((target) => taken.get(target)!.place === 'body');
    expect(refused.sort()).toEqual(bodies.sort());
  });

  it('that names a token names its mint', () => {
    const names = fed.filter((each) => fedBy(each).includes('transfer.mint')).flatMap(valuesOf);
    expect(names.filter((name) => !ADDRESS_PATTERN.test(mintNamed(String(name))))).toEqual([]);
  });
});

describe('the tables of fields', () => {
  it('name fields that exist', () => {
    const units = new Set([...shown.values()].map(({ unit }) => unit));
    const keys = [FED, UNFED, VALUES].flatMap((table) => Object.keys(table)).concat(Object.values(UNFED_FIELDS).flat());
    expect(keys.filter((key) => !shown.has(key) && !units.has(key))).toEqual([]);
    expect(Object.keys(UNFED_UNITS).filter((unit) => !units.has(unit))).toEqual([]);
    const targets = [...Object.values(FED), ...Object.values(FED_BY_UNIT)].flat().concat(Object.keys(NO_NULL));
    expect(targets.filter((target) => !taken.has(target))).toEqual([]);
  });
});
