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

type MergedShape<P extends readonly z.ZodObject[]> = P extends readonly [
  infer First extends z.ZodObject,
  ...infer Rest extends readonly z.ZodObject[],
]
  ? First['shape'] & MergedShape<Rest>
  : Record<never, never>;
