import { LosslessNumber, parse } from 'lossless-json';
import type { Json } from '../docs/named-schemas.js';
import { isDeeper, MAX_DEPTH } from './read-message.js';

/** Any JSON number: its text is exact. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/**
 * Returns a value in the type that a JSON Schema wants, where that loses nothing: models write numbers, switches, lists
 * and objects as text, and digits as numbers. All else stays as it is, for its route to refuse. Numbers keep their exact
 * text.
 */
export function coerce(schema: Json | undefined, value: unknown): unknown {
  const given = typeof value === 'number' ? new LosslessNumber(String(value)) : value;
  const schemas = alternatives(schema);
  const fitting = schemas.find((each) => isOfType(each['type'], given));
  if (fitting) return coerceParts(fitting, given);
  for (const each of schemas) {
    const converted = convert(each['type'], given);
    if (converted !== undefined) return coerceParts(each, converted);
  }
  return coerceParts({}, given);
}

function alternatives(schema: Json = {}): readonly Json[] {
  return (schema['anyOf'] ?? schema['oneOf'] ?? [schema]) as readonly Json[];
}

function isOfType(type: unknown, value: unknown): boolean {
  if (value instanceof LosslessNumber) return type === 'number' || type === 'integer';
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return typeof value === type;
}

/** Returns a value in another type; undefined where that would lose or guess something. */
function convert(type: unknown, value: unknown): unknown {
  if (value instanceof LosslessNumber) return type === 'string' && INTEGER.test(value.value) ? value.value : undefined;
  if (typeof value !== 'string') return undefined;
  switch (type) {
    case 'number':
    case 'integer':
      return NUMBER.test(value) ? new LosslessNumber(value) : undefined;
    case 'boolean':
      return value === 'true' || value === 'false' ? value === 'true' : undefined;
    case 'array':
    case 'object':
      return parsed(type, value);
    default:
      return undefined;
  }
}

/** Returns the list or object that a text is in JSON; undefined for any other text. */
function parsed(type: 'array' | 'object', text: string): unknown {
  try {
    const value = parse(text);
    return isOfType(type, value) && !isDeeper(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined; // also when it nests deeper than the stack
  }
}

function coerceParts(schema: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => coerce(schema['items'] as Json | undefined, part));
  if (typeof value !== 'object' || value === null || value instanceof LosslessNumber) return value;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const known = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, coerce(known(name), part)]));
}
