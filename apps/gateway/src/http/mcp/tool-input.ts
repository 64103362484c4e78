import { AppError } from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import type { RawInput } from '../../api/read-input.js';
import type { ModelTool } from '../docs/model-tools.js';
import type { Json } from '../docs/named-schemas.js';
import { coerce } from './coerce.js';

/** Arguments of a tool as a host sends them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Returns the arguments that were given: models write null for what they leave out. */
export function present(given: ToolArguments): ToolArguments {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
}

const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Returns the input of a tool's request, in the types that its schema wants. What the schema does not know stays in, so
 * that the route refuses it by its name.
 * @throws AppError VALIDATION_ERROR for an amount that is not decimal text
 */
export function requestInput(tool: ModelTool, given: ToolArguments): RawInput {
  assertAmounts(tool, present(given));
  const read = coerce(inputSchema(tool), present(given)) as ToolArguments;
  const fields = Object.entries(read);
  const isInPath = (name: string) => tool.path.includes(`{${name}}`);
  const params = Object.fromEntries(fields.filter(([name]) => isInPath(name)));
  const rest = fields.filter(([name]) => !isInPath(name));
  if (tool.method === 'GET') return { params, query: Object.fromEntries(rest.map(queryField)) };
  return { params, body: Object.fromEntries(rest) };
}

/** Returns the schema of a request: amounts are numbers there, and have a twin in base units that models are not shown. */
function inputSchema({ parameters, exact }: ModelTool): Json {
  const amounts = exact.flatMap((name) => [
    [name, { type: 'number' }] as const,
    [`${name}Raw`, { type: 'string' }] as const,
  ]);
  return { type: 'object', properties: { ...parameters.properties, ...Object.fromEntries(amounts) } };
}

/** Returns a field as a query has it: as text. */
function queryField([name, value]: readonly [string, unknown]): [string, unknown] {
  return [name, value instanceof LosslessNumber || typeof value === 'boolean' ? String(value) : value];
}

/** Rejects an amount that is neither a number nor decimal text. */
function assertAmounts({ exact }: ModelTool, given: ToolArguments): void {
  for (const name of exact) {
    const value = Object.hasOwn(given, name) ? given[name] : 0;
    if (typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))) continue;
    throw AppError.field(name, 'must be decimal text, such as "1.5"', 'invalid_format');
  }
}
