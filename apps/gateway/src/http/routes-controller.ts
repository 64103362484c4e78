import { Controller, Inject, Req, Res } from '@nestjs/common';
import { type ApiRequest, serveRoute } from '../api/call.js';
import { type Handled, PlainResponse } from '../api/response.js';
import { isOfOwners, isStream, type Route } from '../api/route.js';
import { ROUTES } from '../api/routes.js';
import type { ApiServices } from '../api/services.js';
import { clientNetwork } from '../domain/client-network.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';
import { OwnerAdmission } from './owners/owner-admission.js';
import { type AdmittedRequest, idempotencyKey, rawInputOf, Serves } from './serves.js';

/** The token of what handlers call. */
export const API_SERVICES = Symbol('api services');

/** Serves routes over HTTP: one method each, named by the route's id. */
@Controller()
export class RoutesController {
  constructor(
    @Inject(API_SERVICES) private readonly services: ApiServices,
    @Inject(OwnerAdmission) private readonly owners: OwnerAdmission,
  ) {}

  async serve(route: Route, request: AdmittedRequest, reply: FastifyReply): Promise<Handled> {
    // A stream that nothing reads would not end.
    if (isStream(route) && request.method === 'HEAD') return new PlainResponse(200, {});
    const handled = await serveRoute(route, this.#requestOf(route, request, reply), this.services);
    if (!('data' in handled)) return handled;
    const { headers, ownerSession } = handled;
    if (headers) reply.headers(headers);
    if (ownerSession === 'ended') this.owners.cookie.clear(reply);
    else if (ownerSession) this.owners.cookie.set(reply, ownerSession.token);
    return handled;
  }

  #requestOf(route: Route, request: AdmittedRequest, reply: FastifyReply): ApiRequest {
    return {
      caller: request.bearer ?? request.owner,
      raw: rawInputOf(route, request),
      facts: {
        requestId: request.id,
        client: clientNetwork(request.ip),
        elapsedMs: reply.elapsedTime,
        idempotencyKey: route.idempotent ? idempotencyKey(request) : undefined,
        headers: request.headers,
        ownerToken: route.auth === 'console' ? this.owners.cookie.read(request) : undefined,
        begunConnections: isOfOwners(route) ? this.owners.connectionCookie.read(request) : [],
      },
    };
  }
}

// Each route gets a method of the controller, with the decorators that Nest routes by.
{
  const { prototype } = RoutesController;
  for (const route of ROUTES) {
    const value = function (this: RoutesController, request: FastifyRequest, reply: FastifyReply) {
      return this.serve(route, request, reply);
    };
    Object.defineProperty(prototype, route.id, { value, configurable: true, writable: true });
    Req()(prototype, route.id, 0);
    Res({ passthrough: true })(prototype, route.id, 1);
    Serves(route)(prototype, route.id, Object.getOwnPropertyDescriptor(prototype, route.id)!);
  }
}
