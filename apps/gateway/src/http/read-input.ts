import { AppError, type FieldProblem } from '@agent-wallet/kernel';
import type { FastifyRequest } from './fastify-types.js';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import type { InputOf, RouteContract } from './contract/route.js';
import { readJsonBody } from './read-json-body.js';

/**
 * What a request gives to a route, checked against the route's contract. Every field that is wrong is named.
 * @throws AppError VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE
 */
export function readInput<R extends RouteContract>(contract: R, request: FastifyRequest): InputOf<R> {
  const problems: FieldProblem[] = [];
  const check = (schema: z.ZodType | undefined, value: unknown, whole: string): unknown => {
    const result = (schema ?? NOTHING).safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    problems.push(...result.error.issues.flatMap((issue) => fieldProblems(issue, whole)));
    return undefined;
  };
  const params = check(contract.params ?? ANYTHING, request.params, 'path');
  const query = check(contract.query, { ...(request.query as object) }, 'query');
  const given = contract.method === 'GET' ? undefined : bodyOf(contract, request);
  // Without a body each field that is required is named.
  const isMissing = given === undefined && contract.body !== undefined && !contract.bodyOptional;
  const body = contract.method === 'GET' ? undefined : check(contract.body, isMissing ? {} : given, 'body');
  if (isMissing && problems.length === 0) problems.push({ field: 'body', reason: 'is required' });
  if (problems.length > 0) throw validationError(problems);
  return { params, query, body } as InputOf<R>;
}

const NOTHING = z.strictObject({});
const ANYTHING = z.unknown();

function bodyOf(contract: RouteContract, request: FastifyRequest): unknown {
  const body = readJsonBody(request);
  if (body instanceof LosslessNumber) throw AppError.field('body', 'must be a JSON object');
  if (body !== undefined || contract.bodyOptional || request.headers['content-type'] === undefined) return body;
  throw AppError.field('body', 'must be a JSON object');
}

function validationError(problems: readonly FieldProblem[]): AppError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new AppError('VALIDATION_ERROR', { message: `${first?.field} ${first?.reason}${more}`, details: problems });
}

function fieldProblems(issue: z.core.$ZodIssue, whole: string): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].map(String).join('.').slice(0, 100),
      reason: 'is not a field of this request',
    }));
  }
  const field = issue.path.length > 0 ? issue.path.map(String).join('.') : whole;
  if (issue.code !== 'invalid_type') return [{ field, reason: issue.message }];
  const missing = issue.input === undefined;
  if (missing) return [{ field, reason: 'is required' }];
  return [{ field, reason: issue.path.length === 0 ? 'must be a JSON object' : issue.message }];
}
