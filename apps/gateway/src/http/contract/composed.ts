import { z } from 'zod';

/** The parts that a composed record is made of. */
const parts = new WeakMap<object, readonly z.ZodObject[]>();

/**
 * A record that has all fields of others, which all have names. openapi.json says it by references, so that shared fields
 * stand there once.
 */
export function composed<const P extends readonly z.ZodObject[]>(id: string, of: P) {
  const shape = Object.assign({}, ...of.map((part) => part.shape)) as MergedShape<P>;
  const record = z.strictObject(shape).meta({ id });
  parts.set(record, of);
  return record;
}

/** The parts of a composed record; undefined for any other schema. */
export function partsOf(schema: object): readonly z.ZodObject[] | undefined {
  return parts.get(schema);
}

type MergedShape<P extends readonly z.ZodObject[]> = P extends readonly [
  infer First extends z.ZodObject,
  ...infer Rest extends readonly z.ZodObject[],
]
  ? First['shape'] & MergedShape<Rest>
  : Record<never, never>;
