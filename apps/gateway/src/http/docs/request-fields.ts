import type { z } from 'zod';
import type { RouteContract } from '../../api/route.js';
import { inputFields } from './named-schemas.js';

/** A field of a request as JSON Schema has it, as far as the documents say it. */
interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: object;
  readonly maxItems?: number;
  /** Alternatives of a field that may be null: its other schema, and that of null. */
  readonly anyOf?: readonly FieldSchema[];
}

/** A field of a request. */
export interface RequestField {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  /** Type and bounds: `integer 1–100`. */
  readonly kind: string;
  /** As text; undefined where the field has none. */
  readonly default: string | undefined;
  /** Markdown. */
  readonly meaning: string;
}

/** Returns the fields of a route's requests: those of its path, its query and its body. */
export function requestFields(contract: RouteContract): RequestField[] {
  return [
    ...fieldsOf('path', contract.params),
    ...fieldsOf('query', contract.query),
    ...fieldsOf('body', contract.body),
  ];
}

function fieldsOf(place: RequestField['place'], schema: z.ZodType | undefined): RequestField[] {
  if (!schema) return [];
  const { properties, required } = inputFields(schema);
  return Object.entries<FieldSchema>(properties).map(([name, field]) => ({
    name,
    place,
    isRequired: place === 'path' || required.includes(name),
    kind: kindOf(field),
    default: field.default === undefined || field.default === '' ? undefined : String(field.default),
    meaning: field.description ?? '',
  }));
}

function kindOf(field: FieldSchema): string {
  if (field.enum) return field.enum.join(', ');
  const given = field.anyOf?.find(({ type }) => type !== 'null');
  if (given && field.type === undefined) return `${kindOf(given)} or null`;
  const type = field.format ?? (field.maxLength === undefined ? field.type : undefined) ?? '';
  return [type, rangeOf(field)].filter((part) => part !== '').join(' ');
}

function rangeOf({ minimum, exclusiveMinimum, maximum, maxLength, maxItems }: FieldSchema): string {
  if (maxLength !== undefined) return `≤ ${maxLength} chars`;
  if (maxItems !== undefined) return `≤ ${maxItems} entries`;
  if (minimum !== undefined && maximum !== undefined) return `${plain(minimum)}–${plain(maximum)}`;
  const above = exclusiveMinimum === undefined ? '' : `> ${plain(exclusiveMinimum)}`;
  return [above, maximum === undefined ? '' : `≤ ${plain(maximum)}`].filter((part) => part !== '').join(', ');
}

/** Returns a number without an exponent: a millionth is 0.000001. */
function plain(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 6 });
}
