import { AppError } from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import type { RawInput } from '../../api/read-input.js';
import type { ModelTool } from '../docs/model-tools.js';

/** Arguments of a tool as a host sends them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Returns the arguments that were given: models write null for what they leave out. */
export function present(given: ToolArguments): ToolArguments {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
}

const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Returns the input of a tool's request. What it does not know stays in, so that the route refuses it by its name.
 * @throws AppError VALIDATION_ERROR for an amount that is not decimal text
 */
export function requestInput(tool: ModelTool, given: ToolArguments): RawInput {
  const fields = Object.entries(present(given));
  const isInPath = (name: string) => tool.path.includes(`{${name}}`);
  const params = Object.fromEntries(fields.filter(([name]) => isInPath(name)));
  const rest = fields.filter(([name]) => !isInPath(name));
  if (tool.method === 'GET') return { params, query: Object.fromEntries(rest.map(queryField)) };
  return { params, body: Object.fromEntries(rest.map((field) => bodyField(tool, field))) };
}

/** Returns a field as a query has it: as text. */
function queryField([name, value]: readonly [string, unknown]): [string, unknown] {
  return [name, typeof value === 'number' || typeof value === 'boolean' ? String(value) : value];
}

/** Returns a field as a body has it: amounts and other numbers with their exact text. */
function bodyField({ exact }: ModelTool, [name, value]: readonly [string, unknown]): [string, unknown] {
  if (!exact.includes(name) || typeof value === 'number') return [name, exactly(value)];
  if (typeof value !== 'string' || !DECIMAL.test(value)) {
    throw AppError.field(name, 'must be decimal text, such as "1.5"', 'invalid_format');
  }
  return [name, new LosslessNumber(value)];
}

function exactly(value: unknown): unknown {
  if (typeof value === 'number') return new LosslessNumber(String(value));
  if (Array.isArray(value)) return value.map(exactly);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, exactly(part)]));
}
