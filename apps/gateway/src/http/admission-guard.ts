import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from './fastify-types.js';
import type { Admission } from './admission.js';
import { healthRoute, readyRoute } from './contract/service-routes.js';
import { contextOf } from './request-context.js';
import { type AdmittedRequest, contractOf } from './serves.js';
import { TOKENS } from './tokens.js';

/** What probes ask; they are not counted. */
const UNCOUNTED: ReadonlySet<string> = new Set([healthRoute.path, readyRoute.path]);

/** Lets through what may pass: within the rate limits, and with a good token where the route needs one. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(@Inject(TOKENS.admission) private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const contract = contractOf(context);
    const request = context.switchToHttp().getRequest<AdmittedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (contract.auth === 'bearer') {
      request.bearer = await this.admission.admitBearer(request, reply);
      contextOf(request).agentId = request.bearer.agentId;
    } else if (!UNCOUNTED.has(contract.path)) {
      await this.admission.admitClient(request, reply);
    }
    return true;
  }
}
