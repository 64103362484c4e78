import type { Clock } from '@agent-wallet/kernel';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { clientNetwork, sessionNetwork } from '../domain/client-network.js';
import { RateLimited } from '../domain/rate-limits.js';
import { unauthenticated } from '../domain/unauthenticated.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type { SessionUses } from '../ports/session-uses.js';
import { type BearerTokens, malformation } from './bearer-token.js';
import { type AgentCaller, assertScope, isOfOwners, type RouteContract } from '../api/route.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';
import { NetworkDoor } from './network-door.js';
import { OwnerAdmission } from './owners/owner-admission.js';
import { contextOf } from './request-context.js';
import { showWindow } from './show-window.js';
import { type AdmittedRequest, contractOf } from './serves.js';

/** The door: every request passes it before its body is read. */
export class Admission {
  readonly #networks: NetworkDoor;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly tokens: BearerTokens,
    private readonly uses: SessionUses,
    private readonly clock: Clock,
  ) {
    this.#networks = new NetworkDoor(clock);
  }

  /** Counts a request that needs no token. @throws RateLimited */
  async admitClient(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const network = clientNetwork(request.ip);
    this.#networks.assertOpen(network);
    const { window } = await this.limiter.admit(network);
    showWindow(reply, window, { nowMs: this.clock.nowMs() });
    this.#networks.assertLeft(network, window);
  }

  /**
   * Checks a request's token, and counts the request for the agent or the scoped token. Without a valid session it counts for
   * the network. So callers behind one address do not use up each other's requests. A token that was not verified
   * before passes `NetworkDoor` first.
   * @throws RateLimited, AppError AUTHENTICATION_ERROR
   */
  async admitBearer(
    request: FastifyRequest,
    reply: FastifyReply,
    { judgesEndedSessions, admitsApps }: Pick<RouteContract, 'judgesEndedSessions'> & { readonly admitsApps?: boolean },
  ): Promise<AgentCaller> {
    const network = clientNetwork(request.ip);
    const { read, sessionGood, window } = await this.#count(network, request);
    showWindow(reply, window, { nowMs: this.clock.nowMs() });
    if (read === 'malformed') throw unauthenticated(read, malformation(request));
    if (typeof read === 'string') throw unauthenticated(read);
    if (read.clientId !== undefined && !admitsApps) throw unauthenticated('invalid');
    if (!sessionGood) {
      // A scoped token has no successor that its handler could look for.
      if (judgesEndedSessions && !read.token) return { ...read, isLive: false };
      throw unauthenticated('revoked');
    }
    if (window.remaining < 0) throw new RateLimited(read.token ? 'token' : 'agent', window, this.clock.nowMs());
    await this.uses.note(read, network);
    return { ...read, isLive: true };
  }

  /** Reads a token and counts its request. A turn lasts until the count is judged: the next in line sees its result. */
  async #count(network: string, request: FastifyRequest) {
    let endTurn: (() => void) | undefined;
    try {
      const read = await this.tokens.read(request, async () => {
        endTurn = await this.#networks.takeTurn(network);
      });
      if (typeof read === 'string') this.#networks.assertOpen(network);
      const counted = await this.limiter.admit(network, typeof read === 'string' ? undefined : read);
      if (!counted.sessionGood) this.#networks.assertLeft(network, counted.window);
      return { read, ...counted };
    } finally {
      endTurn?.();
    }
  }
}

/** Notes the agent of a request for the services behind, the log and the audit. */
export function carryAgent(request: FastifyRequest, { agentId, authenticatedAtMs, token }: AgentCaller): void {
  Object.assign(contextOf(request), {
    ...{ agentId, askedBy: 'agent', askedFrom: sessionNetwork(clientNetwork(request.ip)) },
    ...{ loggedInAtMs: authenticatedAtMs, tokenId: token?.id },
  });
}

/** Admits requests that are within the rate limits and have the token that the route needs. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(OwnerAdmission) private readonly owners: OwnerAdmission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const contract = contractOf(context);
    const request = context.switchToHttp().getRequest<AdmittedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const carried = contextOf(request);
    carried.askedFrom = sessionNetwork(clientNetwork(request.ip));
    if (isOfOwners(contract)) {
      request.owner = await this.#admitOwner(contract, request, reply);
      if (request.owner) carried.askedBy = `owner ${request.owner.owner.id}`;
    } else if (contract.auth === 'bearer') {
      request.bearer = await this.admission.admitBearer(request, reply, contract);
      carryAgent(request, request.bearer);
      assertScope(contract, request.bearer.token);
    } else if (contract.isCounted !== false) {
      await this.admission.admitClient(request, reply);
    }
    if (contract.needsOwners) this.owners.assertConfigured();
    return true;
  }

  /**
   * Counts a request of a good session of its owner, and of the client's network every other one. A network over its limit
   * may try the cookies of sessions that were good before.
   */
  async #admitOwner(contract: RouteContract, request: FastifyRequest, reply: FastifyReply) {
    const isKnown = contract.auth !== 'console' && this.owners.isKnown(request);
    if (!isKnown) await this.admission.admitClient(request, reply);
    try {
      return await this.owners.admit(contract, request, reply);
    } catch (error) {
      if (isKnown && !(error instanceof RateLimited)) await this.admission.admitClient(request, reply);
      throw error;
    }
  }
}
