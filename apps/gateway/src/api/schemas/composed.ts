import { z } from 'zod';

/** The parts of a composed record. */
export interface Composition {
  /** Records with names, whose fields it has. */
  readonly parts: readonly z.ZodObject[];
  /** Its own fields. */
  readonly own: z.ZodObject;
}

const compositions = new WeakMap<object, Composition>();

/**
 * Composes a record of all fields of named records and its own. openapi.json shows it by references, so that shared
 * fields stand there once.
 */
export function composed<const P extends readonly z.ZodObject[], S extends z.ZodRawShape = Record<never, never>>(
  id: string,
  parts: P,
  own?: S,
) {
  const shape = Object.assign({}, ...parts.map((part) => part.shape), own) as MergedShape<P> & S;
  const record = z.strictObject(shape).meta({ id });
  compositions.set(record, { parts, own: z.strictObject(own ?? {}) });
  return record;
}

/** Returns the parts of a composed record; undefined for any other schema. */
export function compositionOf(schema: object): Composition | undefined {
  return compositions.get(schema);
}

const fallbacks = new WeakMap<object, z.ZodObject>();

/**
 * Returns a union that may grow. Of a variant that a client does not know it reads the fallback's fields.
 * @param fallback a named record, whose discriminator is any text
 */
export function openUnion<T extends z.ZodType>(union: T, fallback: z.ZodObject): T {
  fallbacks.set(union, fallback);
  return union;
}

/** Returns the fallback of a union that may grow; undefined for any other schema. */
export function fallbackOf(schema: object): z.ZodObject | undefined {
  return fallbacks.get(schema);
}

type MergedShape<P extends readonly z.ZodObject[]> = P extends readonly [
  infer First extends z.ZodObject,
  ...infer Rest extends readonly z.ZodObject[],
]
  ? First['shape'] & MergedShape<Rest>
  : Record<never, never>;
