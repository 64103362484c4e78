import type { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { OwnerStore } from '../../ports/owner-store.js';
import type { OwnersService } from '../../ports/owners-service.js';

/** An owner of an agent, by address. */
interface Member {
  readonly id: string;
  readonly email: string | undefined;
  readonly sinceMs: bigint;
}

/** An owner and one of the owner's agents. */
interface Scope {
  readonly ownerId: string;
  readonly agentId: string;
}

/** Adds and removes owners of an agent, by a signature of one of them. */
export class ManageMembers {
  constructor(
    private readonly owners: Pick<OwnerStore, 'idOf' | 'emailOf'>,
    private readonly service: Pick<OwnersService, 'request' | 'agent'>,
  ) {}

  /** Lists the owners of an agent, the first first. @throws AppError NOT_FOUND for an agent of others */
  async list({ ownerId, agentId }: Scope): Promise<Member[]> {
    const { owners } = await this.service.agent(ownerId, agentId);
    return Promise.all(
      owners.map(async ({ ownerId: id, sinceMs }) => ({ id, email: await this.owners.emailOf(id), sinceMs })),
    );
  }

  /**
   * Requests that the owner of an address joins an agent. An unknown address is answered as one without a passkey.
   * @throws AppError NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION
   */
  async add(scope: Scope, email: string): Promise<policyV1.Approval> {
    const memberId = (await this.owners.idOf(email)) ?? newId();
    return this.service.request({ $case: 'member', value: { ...scope, memberId, email, leaves: false } });
  }

  /** Requests that an owner leaves an agent. @throws AppError NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION */
  async remove(scope: Scope, memberId: string): Promise<policyV1.Approval> {
    const email = (await this.owners.emailOf(memberId)) ?? '';
    return this.service.request({ $case: 'member', value: { ...scope, memberId, email, leaves: true } });
  }
}
