import { AppError, type FieldProblem } from '@agent-wallet/kernel';
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Patch,
  Post,
  SetMetadata,
} from '@nestjs/common';
import { LosslessNumber, parse } from 'lossless-json';
import { z } from 'zod';
import type { OperationCommand } from '../application/operations/operation.js';
import type { Bearer } from './bearer-token.js';
import type { InputOf, RouteContract } from './contract/route.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';

/** How a handler serves a route: what stands here gives it the route, the caller and the checked input. */

const CONTRACT = Symbol('contract');
const VERBS = { GET: Get, POST: Post, PATCH: Patch } as const;

/** Serves a route of the contract with this method: path, verb, checks and documents all come from there. */
export function Serves(contract: RouteContract): MethodDecorator {
  const path = contract.path.replace(/\{(\w+)\}/g, ':$1');
  return applyDecorators(VERBS[contract.method](path), SetMetadata(CONTRACT, contract));
}

/** The contract of the route that a request goes to. */
export function contractOf(context: ExecutionContext): RouteContract {
  return Reflect.getMetadata(CONTRACT, context.getHandler()) as RouteContract;
}

/** A request that was admitted. */
export type AdmittedRequest = FastifyRequest & { bearer?: Bearer };

/** The session that the request's token stands for. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AdmittedRequest>().bearer,
);

/** The route's validated input. */
export const Input = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readInput(contractOf(context), context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The command of a financial route, whose input is the route's validated body. */
export type CommandOf<R extends RouteContract> = OperationCommand<NonNullable<InputOf<R>['body']>>;

/** The same, for the handler. @throws AppError INVALID_IDEMPOTENCY_KEY, also for a dry run */
export const Command = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const contract = contractOf(context);
  const http = context.switchToHttp();
  const request = http.getRequest<AdmittedRequest & { bearer: Bearer }>();
  const { query, body } = readInput(contract, request) as { query: { dryRun?: boolean }; body?: object };
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
    throw AppError.field(
      'Idempotency-Key',
      'must be given once, as 1–128 printable characters',
      'INVALID_IDEMPOTENCY_KEY',
    );
  }
  return key;
}

/**
 * What a request gives to a route, checked against the route's contract. Every field that is wrong is named.
 * @throws AppError VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE
 */
function readInput<R extends RouteContract>(contract: R, request: FastifyRequest): InputOf<R> {
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

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body of a request as JSON, numbers with their exact text; undefined when there is none. The body comes as bytes,
 * so that it is only read after the caller was admitted.
 */
function readJsonBody(request: FastifyRequest): unknown {
  const body = request.body as Buffer | null | undefined;
  if (!body || body.length === 0) return undefined;
  const encoding = request.headers['content-encoding'];
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '') || (encoding && encoding !== 'identity')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  }
  try {
    return parse(utf8.decode(body));
  } catch {
    // Also when it nests deeper than the stack.
    throw AppError.field('body', 'must be valid JSON in UTF-8');
  }
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
