import { AppError, fieldsMessage } from '@agent-wallet/kernel';
import { applyDecorators, Delete, type ExecutionContext, Get, Patch, Post, SetMetadata } from '@nestjs/common';
import { LosslessNumber } from 'lossless-json';
import type { RawInput } from '../api/read-input.js';
import type { AgentCaller, OwnerCaller, RouteContract } from '../api/route.js';
import type { FastifyRequest } from './fastify-types.js';
import { readJsonBody } from './json-body.js';

const CONTRACT = Symbol('contract');
const VERBS = { GET: Get, POST: Post, PATCH: Patch, DELETE: Delete } as const;

/** Serves a route of the contract with this method: path, verb, checks and documents all come from there. */
export function Serves(contract: RouteContract): MethodDecorator {
  const path = contract.path.replace(/\{(\w+)\}/g, ':$1');
  return applyDecorators(VERBS[contract.method](path), SetMetadata(CONTRACT, contract));
}

/** Returns the contract of the route that a request goes to. */
export function contractOf(context: ExecutionContext): RouteContract {
  return Reflect.getMetadata(CONTRACT, context.getHandler()) as RouteContract;
}

/** A request that was admitted. */
export type AdmittedRequest = FastifyRequest & { bearer?: AgentCaller; owner?: OwnerCaller };

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** Returns the caller's idempotency key, if it sent one. @throws AppError INVALID_IDEMPOTENCY_KEY */
export function idempotencyKey(request: FastifyRequest): string | undefined {
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

/**
 * Reads the input of a request as it came.
 * @throws AppError VALIDATION_ERROR for a body that is not JSON, UNSUPPORTED_MEDIA_TYPE
 */
export function rawInputOf(contract: RouteContract, request: FastifyRequest): RawInput {
  const body = contract.method === 'GET' ? undefined : bodyOf(contract, request);
  return { params: request.params, query: request.query as object, body };
}

function bodyOf(contract: RouteContract, request: FastifyRequest): unknown {
  const body = readJsonBody(request);
  if (body instanceof LosslessNumber) throw AppError.field('body', 'must be a JSON object', 'wrong_type');
  // Libraries name a type also where they send nothing.
  const needsBody = contract.body !== undefined && !contract.bodyOptional;
  if (body !== undefined || !needsBody || request.headers['content-type'] === undefined) return body;
  throw AppError.field('body', 'must be a JSON object', 'required');
}
