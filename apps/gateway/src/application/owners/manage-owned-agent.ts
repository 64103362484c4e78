import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, notFound } from '@agent-wallet/kernel';
import type { OwnerSession } from '../../domain/owner-session.js';
import { ownerUnauthenticated } from '../../domain/unauthenticated.js';
import type { OwnersService, ProposedChange } from '../../ports/owners-service.js';
import { type PolicyService, required } from '../../ports/services.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { ReportEvictions } from '../connect/report-evictions.js';

/** An agent as its owner sees it. */
export interface OwnedAgent {
  readonly id: string;
  readonly email: string | undefined;
  readonly address: string | undefined;
  readonly role: string;
  readonly sinceMs: bigint;
}

/** The result of an owner's change: it tightens and is in effect, or waits for a signature. */
type ChangedPolicy =
  | { readonly policy: policyV1.Policy; readonly approval?: undefined }
  | { readonly policy?: undefined; readonly approval: policyV1.Approval };

/** An owner's actions on agents. Policy decides whose they are. */
export class ManageOwnedAgent {
  constructor(
    private readonly service: Pick<OwnersService, 'agents' | 'agent' | 'tighten' | 'freeze' | 'request'>,
    private readonly policies: Pick<PolicyService, 'policy'>,
    private readonly sessions: Pick<SessionStore, 'agentById' | 'endAll'>,
    private readonly evictions: Pick<ReportEvictions, 'report'>,
  ) {}

  /** Lists an owner's agents, the oldest claim first. */
  async list(ownerId: string): Promise<OwnedAgent[]> {
    const agents = await this.service.agents(ownerId);
    return Promise.all(agents.map((agent) => this.#named(agent)));
  }

  /** Reads an agent with what policy knows of it. @throws AppError NOT_FOUND for an agent of others */
  async get(ownerId: string, agentId: string): Promise<{ agent: OwnedAgent; overview: policyV1.GetAgentResponse }> {
    const overview = await this.service.agent(ownerId, agentId);
    return { agent: await this.#named(required(overview.agent, 'agent')), overview };
  }

  /**
   * Tightens a policy, or requests the approval of a change that loosens it, which a session by mail may not.
   * @throws AppError NOT_FOUND for an agent of others, VALIDATION_ERROR, POLICY_VIOLATION, AUTHENTICATION_ERROR
   */
  async changePolicy(change: ProposedChange, by: OwnerSession['authenticatedBy']): Promise<ChangedPolicy> {
    const { agentId, ownerId, note: _, ...fields } = change;
    if (Object.values(fields).every((value) => value === undefined)) {
      await this.assertOwned(ownerId, agentId);
      return { policy: await this.policies.policy(agentId) };
    }
    try {
      return { policy: await this.service.tighten(change) };
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'POLICY_LOOSENING_NEEDS_OWNER')) throw error;
      if (by === 'mail') throw ownerUnauthenticated('passkey_required');
      return { approval: await this.service.request({ $case: 'policy', value: change }) };
    }
  }

  /** Freezes the agent: from the answer on nothing more is signed for it. @throws AppError NOT_FOUND for an agent of others */
  freeze(ownerId: string, agentId: string): Promise<boolean> {
    return this.service.freeze(agentId, ownerId);
  }

  /**
   * Requests the approval that ends the owner's freeze.
   * @throws AppError NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION
   */
  unfreeze(ownerId: string, agentId: string): Promise<policyV1.Approval> {
    return this.service.request({ $case: 'unfreeze', value: { agentId, ownerId } });
  }

  /**
   * Ends every session of the agent, and voids what it waits for. @returns how many sessions
   * @throws AppError NOT_FOUND for an agent of others, SERVICE_UNAVAILABLE when policy voids it later
   */
  async evict(ownerId: string, agentId: string): Promise<number> {
    await this.assertOwned(ownerId, agentId);
    const note = { operator: `owner ${ownerId}`, reason: 'evicted by its owner' };
    const { ended, eviction } = await this.sessions.endAll(agentId, note);
    await this.evictions.report(eviction);
    return ended;
  }

  /** @throws AppError NOT_FOUND for an agent of others */
  async assertOwned(ownerId: string, agentId: string): Promise<void> {
    const agents = await this.service.agents(ownerId);
    if (!agents.some((agent) => agent.agentId === agentId)) throw notFound('agent', 'Check its id.');
  }

  async #named({ agentId: id, role, sinceMs }: policyV1.OwnedAgent): Promise<OwnedAgent> {
    const agent = await this.sessions.agentById(id);
    return { id, email: agent?.email, address: agent?.address, role, sinceMs };
  }
}
