import { z } from 'zod';

const scalar = () => [z.string(), z.number(), z.boolean(), z.null()] as const;

const jsonObject: z.ZodType = z.lazy(() => z.record(z.string(), jsonValue)).meta({ id: 'JsonObject' });

/**
 * A JSON value whose shape an upstream or a standard decides on. A list holds no list directly: TypeScript rejects the
 * type that generators make of a list that refers to itself.
 */
export const jsonValue: z.ZodType = z
  .lazy(() => z.union([...scalar(), jsonObject, z.array(z.union([...scalar(), jsonObject]))]))
  .meta({ id: 'JsonValue', description: 'A JSON value. Its shape is not part of this API.' });
