import { AppError, type FieldProblem, type Problem } from '@agent-wallet/kernel';
import { z } from 'zod';
import { reasonOf } from './issue-reason.js';
import { type Checked, unknownField } from './unknown-field.js';
import type { InputOf, RouteContract } from './route.js';

/** A body of many wrong fields must not cost much: beyond these, its problems are not looked at. */
const MAX_PROBLEMS = 20;

/** A request's parts as they came, numbers with their exact text. */
export interface RawInput {
  readonly params?: unknown;
  readonly query?: object | undefined;
  /** Undefined without a body. */
  readonly body?: unknown;
}

/**
 * Validates a request's input against the route's contract.
 * @throws AppError VALIDATION_ERROR naming each wrong field
 */
export function readInput<R extends RouteContract>(contract: R, raw: RawInput): InputOf<R> {
  const problems: FieldProblem[] = [];
  const check = (schema: z.ZodType | undefined, value: unknown, whole: Checked['whole']): unknown => {
    const result = (schema ?? NOTHING).safeParse(value, { reportInput: true, error: reasonOf });
    if (result.success) return result.data;
    const elsewhere = whole === 'body' ? contract.query : contract.body;
    const checked = { whole, known: namesIn(schema), elsewhere: namesIn(elsewhere) };
    const issues = result.error.issues.slice(0, MAX_PROBLEMS);
    problems.push(...issues.flatMap((issue) => fieldProblems(issue, checked)));
    return undefined;
  };
  const params = check(contract.params ?? ANYTHING, raw.params, 'path');
  const query = check(contract.query, { ...raw.query }, 'query');
  const given = contract.method === 'GET' ? undefined : raw.body;
  // Without a body each field that is required is named.
  const isMissing = given === undefined && contract.body !== undefined && !contract.bodyOptional;
  const isNone = contract.body === undefined && given === undefined;
  const body = contract.method === 'GET' || isNone ? undefined : check(contract.body, isMissing ? {} : given, 'body');
  if (isMissing && problems.length === 0) {
    problems.push({ field: 'body', reason: 'is required', problem: 'required' });
  }
  if (problems.length > 0) throw AppError.fields(problems.slice(0, MAX_PROBLEMS));
  return { params, query, body } as InputOf<R>;
}

const namesIn = (schema: z.ZodType | undefined) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

const NOTHING = z.strictObject({});
const ANYTHING = z.unknown();

function fieldProblems(issue: z.core.$ZodIssue, checked: Checked): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownField([...issue.path, key], checked));
  }
  const field = issue.path.length > 0 ? issue.path.map(String).join('.') : checked.whole;
  if (issue.code !== 'invalid_type') return [{ field, reason: issue.message, problem: problemOf(issue) }];
  if (issue.input === undefined) return [{ field, reason: 'is required', problem: 'required' }];
  const reason = issue.path.length === 0 ? 'must be a JSON object' : issue.message;
  return [{ field, reason, problem: 'wrong_type' }];
}

/** Returns the problem that an issue means; the project's own checks name it themselves. */
function problemOf(issue: z.core.$ZodIssue): Problem {
  const isText = 'origin' in issue && (issue.origin === 'string' || issue.origin === 'array');
  switch (issue.code) {
    case 'custom':
      return (issue.params?.['problem'] as Problem | undefined) ?? 'invalid_format';
    case 'too_big':
      return isText ? 'too_long' : 'out_of_range';
    case 'too_small':
      return 'out_of_range';
    case 'invalid_value':
      return issue.input === undefined ? 'required' : 'invalid_format';
    default:
      return 'invalid_format';
  }
}
