import { AppError, closest, type FieldProblem, fieldsMessage, type Problem } from '@agent-wallet/kernel';
import {
  applyDecorators,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  Patch,
  Post,
  SetMetadata,
} from '@nestjs/common';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import type { OperationCommand } from '../application/operations/operation.js';
import type { Bearer } from './bearer-token.js';
import type { InputOf, RouteContract } from './contract/route.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';
import { readJsonBody } from './json-body.js';
import type { AdmittedOwner } from './owners/owner-admission.js';

/** How a handler serves a route: what stands here gives it the route, the caller and the checked input. */

const CONTRACT = Symbol('contract');
const VERBS = { GET: Get, POST: Post, PATCH: Patch, DELETE: Delete } as const;

/** Serves a route of the contract with this method: path, verb, checks and documents all come from there. */
export function Serves(contract: RouteContract): MethodDecorator {
  const path = contract.path.replace(/\{(\w+)\}/g, ':$1');
  return applyDecorators(VERBS[contract.method](path), SetMetadata(CONTRACT, contract));
}

/** The contract of the route that a request goes to. */
export function contractOf(context: ExecutionContext): RouteContract {
  return Reflect.getMetadata(CONTRACT, context.getHandler()) as RouteContract;
}

/** The session of a request that was admitted. */
export interface AdmittedBearer extends Bearer {
  /** Whether the session stood; false only where the contract says `judgesEndedSessions`. */
  readonly stood: boolean;
}

/** A request that was admitted. */
export type AdmittedRequest = FastifyRequest & { bearer?: AdmittedBearer; owner?: AdmittedOwner; input?: unknown };

/** The session that the request's token stands for. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AdmittedRequest>().bearer,
);

/** The owner whose session the request's cookie stands for. */
export const OwnerCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AdmittedRequest>().owner,
);

/** The route's input, which the guard has validated. */
export const Input = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AdmittedRequest>().input,
);

/** The command of a financial route, whose input is the route's validated body. */
export type CommandOf<R extends RouteContract> = OperationCommand<NonNullable<InputOf<R>['body']>>;

/** The same, for the handler. @throws AppError INVALID_IDEMPOTENCY_KEY, also for a dry run */
export const Command = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const contract = contractOf(context);
  const http = context.switchToHttp();
  const request = http.getRequest<AdmittedRequest & { bearer: Bearer }>();
  const { query, body } = request.input as { query: { dryRun?: boolean }; body?: object };
  return {
    agentId: request.bearer.agentId,
    input: body ?? {},
    route: `${contract.method} ${contract.path}`,
    key: idempotencyKey(request),
    requestId: request.id,
    elapsedMs: http.getResponse<FastifyReply>().elapsedTime,
    isDryRun: query.dryRun ?? false,
  };
});

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** The caller's idempotency key, if it sent one. */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.raw.headersDistinct['idempotency-key'];
  if (!given) return undefined;
  const [key = ''] = given;
  if (given.length > 1 || !PRINTABLE.test(key)) {
    const reason = 'must be given once, as 1–128 printable characters';
    const details = [{ field: 'Idempotency-Key', reason, problem: 'invalid_format' }] as const;
    throw new AppError('INVALID_IDEMPOTENCY_KEY', { message: fieldsMessage(details), details });
  }
  return key;
}

/** A body of many wrong fields must not cost much: beyond these, its problems are not looked at. */
const MAX_PROBLEMS = 20;

/**
 * Reads a request's input and validates it against the route's contract. The guard does that for every route.
 * @throws AppError VALIDATION_ERROR naming each wrong field, UNSUPPORTED_MEDIA_TYPE
 */
export function readInput<R extends RouteContract>(contract: R, request: FastifyRequest): InputOf<R> {
  const problems: FieldProblem[] = [];
  const check = (schema: z.ZodType | undefined, value: unknown, whole: string): unknown => {
    const result = (schema ?? NOTHING).safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    const checked = { whole, known: schema instanceof z.ZodObject ? Object.keys(schema.shape) : [] };
    const issues = result.error.issues.slice(0, MAX_PROBLEMS);
    problems.push(...issues.flatMap((issue) => fieldProblems(issue, checked)));
    return undefined;
  };
  const params = check(contract.params ?? ANYTHING, request.params, 'path');
  const query = check(contract.query, { ...(request.query as object) }, 'query');
  const given = contract.method === 'GET' ? undefined : bodyOf(contract, request);
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

/** A part of a request that was checked: its name, and the fields that it can have. */
interface Checked {
  readonly whole: string;
  readonly known: readonly string[];
}

const NOTHING = z.strictObject({});
const ANYTHING = z.unknown();

function bodyOf(contract: RouteContract, request: FastifyRequest): unknown {
  const body = readJsonBody(request);
  if (body instanceof LosslessNumber) throw AppError.field('body', 'must be a JSON object', 'wrong_type');
  if (body !== undefined || contract.bodyOptional || request.headers['content-type'] === undefined) return body;
  throw AppError.field('body', 'must be a JSON object', 'required');
}

function fieldProblems(issue: z.core.$ZodIssue, { whole, known }: Checked): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownField([...issue.path, key], known));
  }
  const field = issue.path.length > 0 ? issue.path.map(String).join('.') : whole;
  if (issue.code !== 'invalid_type') return [{ field, reason: issue.message, problem: problemOf(issue) }];
  if (issue.input === undefined) return [{ field, reason: 'is required', problem: 'required' }];
  const reason = issue.path.length === 0 ? 'must be a JSON object' : issue.message;
  return [{ field, reason, problem: 'wrong_type' }];
}

/** What an issue means; the project's own checks say it themselves. */
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

const MAX_FIELD_LENGTH = 100;

function unknownField(path: readonly PropertyKey[], known: readonly string[]): FieldProblem {
  const field = path.map(String).join('.').slice(0, MAX_FIELD_LENGTH);
  const didYouMean = closest(String(path.at(-1)), known);
  const unknown = { field, reason: 'is not a field of this request', problem: 'unknown_field' } as const;
  if (didYouMean.length === 0) return unknown;
  return { ...unknown, reason: `${unknown.reason}. Did you mean ${didYouMean.join(', ')}?`, didYouMean };
}
