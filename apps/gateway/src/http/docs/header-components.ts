import { type HeaderName, HEADERS } from '../../api/schemas/headers.js';
import type { Json, NamedSchemas } from './named-schemas.js';

/** Returns the headers of responses as components. */
export function headerComponents(schemas: NamedSchemas): Json {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, schema }]) => [
      name,
      { description, schema: schemas.of(schema, 'output') },
    ]),
  );
}

/** References to header components by their names. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
