import type { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { type Algorithm, Authenticator, type Lies } from '@agent-wallet/testing';
import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { PolicyDatabase } from './database.js';
import { type Fact, factsDuring } from './facts.js';
import {
  newWallet,
  OWNER_ORIGIN,
  type OwnersClient,
  type PolicyClient,
  startTestService,
  type TestService,
} from './service.js';

// Generous: the whole of policy runs here, maybe on a busy machine.

/** An owner with a passkey. */
export interface TestOwner {
  readonly ownerId: string;
  readonly authenticator: Authenticator;
}

/** The fields of a claim that a test does not care about. */
export const CLAIM = {
  keepSessions: false,
  holdsNothing: true,
  wallet: newWallet().address,
  email: 'agent@example.com',
};

/** The fields of a proposed change that a test does not care about. */
export const NO_CHANGE = { note: '', ownerId: '', allowedRecipients: undefined };

/** The parsed document of an approval. */
export const documentOf = (approval: policyV1.Approval) =>
  JSON.parse(approval.document.toString()) as Record<string, unknown>;

/** What a vote signs. */
export const challengeOf = (document: Uint8Array) => createHash('sha256').update(document).digest();

/** Policy as it runs, with owners and an agent of the present test. */
export class OwnersUnderTest {
  gateway!: PolicyClient;
  owners!: OwnersClient;
  agentId!: string;

  private constructor(readonly service: TestService) {}

  static async start(settings?: Parameters<typeof startTestService>[0]): Promise<OwnersUnderTest> {
    const policy = new OwnersUnderTest(await startTestService(settings));
    policy.gateway = await policy.service.as('gateway');
    policy.owners = await policy.service.ownersAs('gateway');
    return policy;
  }

  get database(): PolicyDatabase {
    return this.service.database;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  /** For each test one, so that none meets another's approvals. */
  async newAgent(namedOwnerId = ''): Promise<string> {
    this.agentId = newId();
    await this.gateway.createPolicy({ agentId: this.agentId, namedOwnerId });
    return this.agentId;
  }

  async newOwner(algorithm: Algorithm = 'ES256'): Promise<TestOwner> {
    const owner = { ownerId: newId(), authenticator: new Authenticator(OWNER_ORIGIN, algorithm) };
    expect(await this.addPasskey(owner)).toEqual({ approval: undefined });
    return owner;
  }

  /** Registers a passkey of an owner. */
  async addPasskey({ ownerId, authenticator }: TestOwner, lies?: Lies): Promise<policyV1.AddPasskeyResponse> {
    const { challenge } = await this.owners.createPasskeyChallenge({ ownerId });
    return this.owners.addPasskey({ ownerId, registrationJson: authenticator.register(challenge, lies) });
  }

  async requestClaim(ownerId: string, claim: Partial<policyV1.ClaimRequest> = {}): Promise<policyV1.Approval> {
    const value = { agentId: this.agentId, ownerId, ...CLAIM, ...claim };
    const request = { $case: 'claim', value } as const;
    return (await this.owners.requestApproval({ request })).approval!;
  }

  /** Proposes a change: as the agent, unless it says which owner. */
  async propose(change: Partial<policyV1.PolicyChangeRequest>): Promise<policyV1.Approval> {
    const request = { $case: 'policy', value: { ...NO_CHANGE, agentId: this.agentId, ...change } } as const;
    return (await this.owners.requestApproval({ request })).approval!;
  }

  /** Asks for the end of an owner's freeze. */
  async requestUnfreeze(ownerId: string): Promise<policyV1.Approval> {
    const request = { $case: 'unfreeze', value: { agentId: this.agentId, ownerId } } as const;
    return (await this.owners.requestApproval({ request })).approval!;
  }

  /** Tightens as an owner. */
  async tighten(ownerId: string, change: Partial<policyV1.PolicyChangeRequest>): Promise<policyV1.Policy> {
    const request = { change: { ...NO_CHANGE, agentId: this.agentId, ownerId, ...change } };
    return (await this.owners.tightenPolicy(request)).policy!;
  }

  /** Asks to add an owner to the agent, or to remove one. */
  async requestMember(ownerId: string, change: Partial<policyV1.MemberRequest>): Promise<policyV1.Approval> {
    const value = { agentId: this.agentId, ownerId, memberId: '', email: 'b@x.com', leaves: false, ...change };
    return (await this.owners.requestApproval({ request: { $case: 'member', value } })).approval!;
  }

  /** Has another owner join: an owner of the agent signs, then that person. @returns the state afterwards */
  async join(by: TestOwner, who: TestOwner): Promise<policyV1.ApprovalState> {
    const asked = await this.requestMember(by.ownerId, { memberId: who.ownerId });
    await this.vote(by, asked);
    return this.vote(who, asked);
  }

  /** Asks for a permit, which needs an approval. @returns the approval, as an owner of the agent reads it */
  async awaiting(
    caller: PolicyClient,
    request: policyV1.AuthorizeRequest,
    { ownerId }: TestOwner,
  ): Promise<policyV1.Approval> {
    const error = await caller.authorize(request).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const { approvalId, reasons } = (error as { data: { approvalId: string; reasons: string[] } }).data;
    const viewer = { $case: 'ownerId', value: ownerId } as const;
    const approval = (await this.owners.getApproval({ approvalId, viewer })).approval!;
    expect(documentOf(approval)).toMatchObject({ reasons });
    return approval;
  }

  /** Votes with an owner's passkey. @returns the state of the approval afterwards */
  async vote({ ownerId, authenticator }: TestOwner, approval: policyV1.Approval, lies?: Lies) {
    const assertionJson = authenticator.assert(challengeOf(approval.document), lies);
    const { approvalId } = approval;
    return (await this.owners.vote({ approvalId, ownerId, assertionJson })).approval!.state;
  }

  /** An owner who has claimed the present agent. */
  async newClaim(): Promise<TestOwner> {
    const owner = await this.newOwner();
    await this.vote(owner, await this.requestClaim(owner.ownerId));
    return owner;
  }

  change(fields: Partial<policyV1.UpdatePolicyRequest>) {
    return this.gateway.updatePolicy({ agentId: this.agentId, allowedRecipients: undefined, ...fields });
  }

  async policyNow(): Promise<policyV1.Policy> {
    return (await this.gateway.getPolicy({ agentId: this.agentId })).policy!;
  }

  /** Facts of the outbox about an agent or an owner, written while the relay is held back. */
  factsDuring(subject: string, work: () => Promise<unknown>): Promise<Fact[]> {
    return factsDuring(this.database, subject, work);
  }
}
