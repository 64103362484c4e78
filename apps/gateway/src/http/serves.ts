import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Patch,
  Post,
  SetMetadata,
} from '@nestjs/common';
import type { FastifyRequest } from './fastify-types.js';
import type { Bearer } from './bearer-token.js';
import type { RouteContract } from './contract/route.js';
import { readInput } from './read-input.js';

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

/** The route's validated input. */
export const Input = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readInput(contractOf(context), context.switchToHttp().getRequest<FastifyRequest>()),
);

/** A request that was admitted. */
export type AdmittedRequest = FastifyRequest & { bearer?: Bearer };

/** The session that the request's token stands for. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AdmittedRequest>().bearer,
);
